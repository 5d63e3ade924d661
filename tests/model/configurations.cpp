#include "tests/model/configurations.h"

namespace tidemark::model {
namespace {

constexpr Byte kStored = 2;  // position of the rows that the sink holds at the beginning

SinkRow storedRow(PositionRule scheme, Byte value) {
  const std::int8_t second = scheme == PositionRule::LawCommitLsn ? kStored : 0;
  return SinkRow{1, kStored, second, value};
}

Configuration named(PositionRule scheme, const std::string& name) {
  Configuration configuration;
  configuration.name = (scheme == PositionRule::LawLsn ? "lsn: " : "commit-lsn: ") + name;
  configuration.rules.position = scheme;
  return configuration;
}

/// A fresh slot and its read, a reset with or without a second read, transactions open over both. No run.
Configuration resetsAndReads(PositionRule scheme) {
  Configuration c = named(scheme, "fresh slot, reset, reads, redelivery");
  c.transactions = {{{{0, 4}, {1, kNoRow}}}, {{{0, 5}}}, {{{1, 6}}}};
  c.row = {1, 2, 0};
  c.freshSlot = true;
  c.resets = 1;
  c.blocking = 1;
  c.rewinds = 1;
  return c;
}

/// An incremental chunk with its window, before and after a reset.
Configuration chunks(PositionRule scheme) {
  Configuration c = named(scheme, "incremental chunk, reset, redelivery");
  c.transactions = {{{{0, 4}, {0, kNoRow}}}, {{{0, 5}, {1, 6}}}};
  c.row = {1, 2, 0};
  c.sink = {storedRow(scheme, 1), storedRow(scheme, 2), SinkRow{}};
  c.windows = 1;
  c.resets = 1;
  c.blocking = 1;
  c.rewinds = 1;
  return c;
}

/// Straddling transactions, commits that are streamed before they are visible, a lost transaction, and one row each
/// that is stale, a ghost, or missing.
Configuration damagedSink(PositionRule scheme) {
  Configuration c = named(scheme, "load and sweep of a damaged sink, commits visible later");
  c.transactions = {{{{0, 4}, {1, 5}}}, {{{1, kNoRow}, {0, kNoRow}}}, {{{2, 6}}}};
  c.row = {1, 0, 3};
  c.sink = {storedRow(scheme, 8), storedRow(scheme, 9), SinkRow{}};
  c.visibleLater = true;
  c.losses = 1;
  c.rewinds = 1;
  c.way = LoadWay::Sql;
  return c;
}

Configuration redelivery(PositionRule scheme) {
  Configuration c = named(scheme, "load and sweep, redelivery and roll back");
  c.transactions = {{{{0, 4}, {0, 5}}}, {{{0, kNoRow}, {1, 6}}}, {{{1, 7}}}};
  c.row = {1, 0, 0};
  c.sink = {storedRow(scheme, 8), storedRow(scheme, 9), SinkRow{}};
  c.visibleLater = true;
  c.rollBacks = 1;
  c.losses = 1;
  c.rewinds = 1;
  c.strays = 1;
  c.way = LoadWay::Sql;
  return c;
}

Configuration resetInRun(PositionRule scheme) {
  Configuration c = named(scheme, "load and sweep, offset reset with transactions delivered again");
  c.transactions = {{{{0, 4}, {1, kNoRow}}}, {{{1, 5}}}, {{{0, kNoRow}}}};
  c.row = {1, 2, 0};
  c.sink = {storedRow(scheme, 1), SinkRow{}, storedRow(scheme, 9)};
  c.visibleLater = true;
  c.losses = 1;
  c.resets = 1;
  c.way = LoadWay::Sql;
  return c;
}

Configuration readsOfOthers(PositionRule scheme) {
  Configuration c = named(scheme, "load and sweep, reads of others before and during the run");
  c.transactions = {{{{0, 4}, {1, kNoRow}}}, {{{0, kNoRow}, {1, 5}}}};
  c.row = {1, 2, 0};
  c.sink = {storedRow(scheme, 8), SinkRow{}, storedRow(scheme, 9)};
  c.losses = 1;
  c.resets = 1;
  c.blocking = 2;
  c.rewinds = 1;
  c.way = LoadWay::Sql;
  return c;
}

Configuration readsOfOthersVisibleLater(PositionRule scheme) {
  Configuration c = readsOfOthers(scheme);
  c.name = named(scheme, "load and sweep, reads of others before the run, commits visible later").name;
  c.visibleLater = true;
  c.rewinds = 0;
  return c;
}

Configuration chunkBeforeRun(PositionRule scheme) {
  Configuration c = named(scheme, "load and sweep after an incremental chunk");
  c.transactions = {{{{0, 4}}}, {{{0, kNoRow}, {1, 5}}}};
  c.row = {1, 2, 0};
  c.sink = {storedRow(scheme, 8), SinkRow{}, storedRow(scheme, 9)};
  c.losses = 1;
  c.windows = 1;
  c.rewinds = 1;
  c.way = LoadWay::Sql;
  return c;
}

/// The run follows a fresh slot: what was committed before it is in its read alone.
Configuration runAfterFreshSlot(PositionRule scheme) {
  Configuration c = named(scheme, "load and sweep after a fresh slot");
  c.transactions = {{{{0, 4}, {1, kNoRow}}}, {{{0, kNoRow}, {1, 5}}}, {{{2, 6}}}};
  c.row = {1, 2, 0};
  c.sink = {storedRow(scheme, 8), SinkRow{}, storedRow(scheme, 9)};
  c.visibleLater = true;
  c.freshSlot = true;
  c.losses = 1;
  c.rewinds = 1;
  c.way = LoadWay::Sql;
  return c;
}

Configuration twoSegments(PositionRule scheme) {
  Configuration c = named(scheme, "interrupted load, two segments with their own boundaries");
  c.transactions = {{{{0, 4}, {1, 5}}}, {{{0, kNoRow}, {1, kNoRow}}}, {{{0, 6}}}};
  c.row = {0, 2, 0};
  c.sink = {storedRow(scheme, 8), storedRow(scheme, 9), storedRow(scheme, 7)};
  c.visibleLater = true;
  c.losses = 1;
  c.segments = 2;
  c.rewinds = 1;
  c.segmentOf = {0, 1, 1};
  c.way = LoadWay::Sql;
  return c;
}

Configuration twoRuns(PositionRule scheme) {
  Configuration c = named(scheme, "two runs, losses before either");
  c.transactions = {{{{0, 4}, {1, kNoRow}}}, {{{0, kNoRow}, {1, 5}}}};
  c.row = {1, 2, 0};
  c.sink = {storedRow(scheme, 8), SinkRow{}, storedRow(scheme, 9)};
  c.visibleLater = true;
  c.losses = 2;
  c.strays = 1;
  c.resets = 1;
  c.runs = 2;
  c.rewinds = 1;
  c.way = LoadWay::Sql;
  return c;
}

Configuration askedReads(PositionRule scheme) {
  Configuration c = named(scheme, "reads asked for by signal, stamped as they arrive");
  c.transactions = {{{{0, 4}, {1, kNoRow}}}, {{{0, kNoRow}, {1, 5}}}};
  c.row = {1, 2, 0};
  c.sink = {storedRow(scheme, 8), SinkRow{}, storedRow(scheme, 9)};
  c.visibleLater = true;
  c.losses = 1;
  c.rewinds = 1;
  c.strays = 1;
  c.resets = 1;
  c.runs = 2;
  c.way = LoadWay::Blocking;
  return c;
}

}  // namespace

std::vector<Configuration> lawConfigurations(PositionRule scheme) {
  return {resetsAndReads(scheme),
          chunks(scheme),
          damagedSink(scheme),
          redelivery(scheme),
          resetInRun(scheme),
          readsOfOthers(scheme),
          readsOfOthersVisibleLater(scheme),
          chunkBeforeRun(scheme),
          runAfterFreshSlot(scheme),
          twoSegments(scheme),
          twoRuns(scheme),
          askedReads(scheme)};
}

}  // namespace tidemark::model
