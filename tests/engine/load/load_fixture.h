#pragma once

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/load/load.h"
#include "tests/support/fake_database.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {

/// A source table with an integer key and one text column, its sink, and what a load needs.
class LoadFixture : public testing::Test {
 protected:
  LoadFixture() : mapping(fakeMapping({ColumnKind::BigInt})), sourceTable(mapping), sinkTable(mapping) {}

  static Key key(std::int64_t number) { return {std::to_string(number)}; }
  static Row row(const std::string& text) { return {Cell::of(text)}; }

  void fillSource(std::int64_t from, std::int64_t to, const std::string& text = "old") {
    for (std::int64_t number = from; number <= to; ++number) sourceTable.put(key(number), row(text));
  }

  LoadRequest request(const KeyRange& range = {}, int segment = 1) {
    LoadRequest made;
    made.mapping = mapping;
    made.scope.range = range;
    made.boundary = source.captureBoundary({}, {}, {});
    made.segmentNumber = segment;
    made.keyFile = folder / ("segment-" + std::to_string(segment) + ".keys");
    made.pace.batchRows = 10;
    return made;
  }

  Segment load(const LoadRequest& made, std::stop_token stop = {}) {
    NoProgress progress;
    return loadSegment(
        source, sink, made, control,
        [this](const Segment& segment) {
          checkpoints.push_back(segment);
          if (onCheckpoint) onCheckpoint(segment);
        },
        stop, progress);
  }

  /// A live change reaches the sink by a connection of its own.
  void deliver(const Change& change) {
    FakeSink stream(sinkTable);
    stream.apply(mapping, std::span(&change, 1));
  }

  std::vector<Key> keysOf(const LoadRequest& made, const Segment& segment) {
    std::vector<Key> keys;
    const auto reader = openKeyList(made.keyFile, segment.keys.summary);
    for (Key next; reader->next(next);) keys.push_back(next);
    return keys;
  }

  std::vector<Key> numbers(std::int64_t from, std::int64_t to) {
    std::vector<Key> keys;
    for (std::int64_t number = from; number <= to; ++number) keys.push_back(key(number));
    return keys;
  }

  template <typename Action>
  static std::string codeOf(Action action) {
    try {
      action();
    } catch (const Error& error) {
      return error.code();
    }
    return "nothing thrown";
  }

  TableMapping mapping;
  FakeSourceTable sourceTable;
  FakeSinkTable sinkTable;
  FakeSource source{sourceTable};
  FakeSink sink{sinkTable};
  PauseControl control;
  TemporaryFolder folder;
  std::vector<Segment> checkpoints;
  std::function<void(const Segment&)> onCheckpoint;
};

}  // namespace tidemark::test
