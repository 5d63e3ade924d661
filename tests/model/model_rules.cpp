#include "tests/model/model_rules.h"

#include <algorithm>

#include "engine/apply/guard.h"

namespace tidemark::model {
namespace {

Position storedPosition(const SinkRow& row) {
  return Position{{row.first, row.second, 0}};
}

std::int64_t coarseTime(std::int64_t lsn) {
  return lsn / 4;
}

bool replaces(const Rules& rules, const Position* stored, const Position& incoming) {
  const GuardVerdict verdict = guard(stored, incoming);
  switch (rules.guard) {
    case GuardRule::Strict:
      return verdict == GuardVerdict::Insert || verdict == GuardVerdict::Replace;
    case GuardRule::EqualReplaces:
      return verdict != GuardVerdict::SkipOlder;
    case GuardRule::LastArrivalWins:
      return true;
  }
  return false;
}

void store(SinkRow& row, const Position& position, Byte value) {
  row.present = 1;
  row.first = static_cast<std::int8_t>(position.element[0]);
  row.second = static_cast<std::int8_t>(position.element[1]);
  row.value = value;
}

}  // namespace

PositionScheme Rules::scheme() const {
  switch (position) {
    case PositionRule::LawLsn:
    case PositionRule::LsnOnReads:
    case PositionRule::CommitLsnAlone:
    case PositionRule::Timestamp:
      return PositionScheme::Lsn;
    default:
      return PositionScheme::CommitLsn;
  }
}

Position positionOf(const Rules& rules, const Incoming& in) {
  switch (rules.position) {
    case PositionRule::LawLsn:
    case PositionRule::LawCommitLsn:
      return in.isRead ? readPosition(rules.scheme(), in.first) : changePosition(rules.scheme(), in.first, in.lsn);
    case PositionRule::LsnOnReads:
      return Position{{in.lsn, 0, 0}};
    case PositionRule::PairNullAsZero:
      return Position{{in.first.value_or(0), in.lsn, 0}};
    case PositionRule::OnlyReadsMended:
      return Position{{in.first.value_or(0), in.isRead ? 0 : in.lsn, 0}};
    case PositionRule::OnlyNullsMended:
      return Position{{in.first.value_or(in.isRead ? 0 : in.lsn), in.lsn, 0}};
    case PositionRule::CommitLsnAlone:
      return in.isRead ? kNoPosition : Position{{in.commitEnd, 0, 0}};
    case PositionRule::Timestamp:
      return Position{{coarseTime(in.isRead ? in.lsn : in.commitEnd), 0, 0}};
  }
  return kNoPosition;
}

Position boundaryOf(const Rules& rules, std::int64_t low) {
  if (rules.position == PositionRule::Timestamp) return Position{{coarseTime(low), 0, 0}};
  return boundaryPosition(rules.scheme(), rules.stamp == StampRule::LowItself ? low + 1 : low);
}

void apply(const Rules& rules, State& state, const Incoming& in, const Position& position) {
  SinkRow& row = state.sink[static_cast<std::size_t>(in.key)];
  const Position stored = storedPosition(row);
  const Position* storedOrNone = row.present != 0 ? &stored : nullptr;
  if (replaces(rules, storedOrNone, position)) {
    if (in.value == kNoRow && !rules.keepMarkers) {
      row = SinkRow{};
    } else {
      store(row, position, in.value);
    }
  } else if (rules.keepDoubtful &&
             isDoubtful(rules.scheme(), in.isRead, !in.first.has_value(), in.lsn, storedOrNone, position)) {
    setBit(state.doubtful, in.key);
  }
}

bool isBelow(const Rules& rules, const SinkRow& row, const Position& boundary) {
  if (row.present == 0 || row.value == kNoRow) return false;
  if (rules.sweep == SweepRule::NoPositionGuard) return true;
  const Position stored = storedPosition(row);
  return guard(&stored, boundary) == GuardVerdict::Replace;
}

void markSwept(const Rules& rules, SinkRow& row, const Position& boundary) {
  if (rules.keepMarkers) {
    store(row, boundary, kNoRow);
  } else {
    row = SinkRow{};
  }
}

}  // namespace tidemark::model
