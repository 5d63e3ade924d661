#include <stdexcept>

#include "tests/model/model.h"

namespace tidemark::model {
namespace {

using Rows = std::array<Byte, kKeys>;

Byte lastCommitEnd(const Configuration& configuration, const State& state) {
  return state.streamed > 0 ? state.commitEnd[state.streamed - 1U] : configuration.firstLsn;
}

void pushItem(State& state, Byte item) {
  if (state.topicCount == kTopicItems) throw std::logic_error("the configuration needs a longer topic");
  state.topic[state.topicCount++] = item;
}

void pushRead(State& state, const ReadItem& read) {
  for (std::size_t slot = 0; slot < kReads; ++slot) {
    if (state.read[slot].used != 0) continue;
    state.read[slot] = read;
    state.read[slot].used = 1;
    pushItem(state, byteOf(kItemIsRead | static_cast<int>(slot)));
    return;
  }
  throw std::logic_error("the configuration needs more read slots");
}

/// An initial read, or one of snapshot.mode=always: no commit was streamed yet, its lsn is the insert position.
void pushNullRead(State& state, const Rows& rows) {
  ReadItem read;
  read.firstNull = 1;
  read.lsn = state.nextLsn;
  read.value = rows;
  pushRead(state, read);
}

/// What the slot's consistent point holds: committed in the log, whether readers see it or not.
Rows loggedRows(const Configuration& configuration, const State& state) {
  Rows rows = state.row;
  for (std::size_t i = 0; i < state.commitCount; ++i) {
    const Byte entry = state.commitEntry[i];
    if (entry >= kTransactions) continue;
    const auto& operations = configuration.transactions[entry].operations;
    if (state.step[entry] != operations.size() + 1) continue;
    for (const Operation& operation : operations) rows[operation.key] = operation.value;
  }
  return rows;
}

bool isBeforeLow(const Configuration& configuration, const State& state) {
  return state.phase == RunPhase::Idle && state.segment == 0 && !runIsOver(configuration, state);
}

/// Where commits can be streamed before they are visible, reads of others void a run between low and its end, and
/// under commit-lsn stay wrong behind it (law, rules 3 and 6).
bool othersMayRead(const Configuration& configuration, const State& state) {
  if (!configuration.visibleLater || !configuration.rules.othersKeepOut) return true;
  if (isBeforeLow(configuration, state)) return true;
  return runIsOver(configuration, state) && configuration.rules.scheme() == PositionScheme::Lsn;
}

void streamTransaction(const Configuration& configuration, State& state, Byte transaction, bool lost) {
  if (!lost) pushItem(state, byteOf(transaction | (state.firstNull != 0 ? kItemNullFirst : 0)));
  if (state.windowIsOpen != 0) {
    for (const Operation& operation : configuration.transactions[transaction].operations) {
      state.windowRow[operation.key] = kNoRow;
    }
  }
}

void streamWindowMark(State& state, Byte mark, Byte lastEnd) {
  if (state.windowStage == WindowStage::None) return;  // streamed again after a reset: of no chunk in flight
  if (mark == kWindowOpen) {
    state.windowIsOpen = 1;
    return;
  }
  ReadItem read;
  read.firstNull = state.firstNull;
  read.first = state.firstNull != 0 ? Byte{0} : lastEnd;
  read.lsn = lastEnd;
  read.value = state.windowRow;
  pushRead(state, read);
  state.windowRow = Rows{};
  state.windowIsOpen = 0;
  state.windowStage = WindowStage::None;
}

void streamNext(const Configuration& configuration, State& state, bool lost) {
  const Byte entry = state.commitEntry[state.streamed];
  if (entry < kTransactions) {
    streamTransaction(configuration, state, entry, lost);
  } else {
    streamWindowMark(state, entry, lastCommitEnd(configuration, state));
  }
  ++state.streamed;
  state.firstNull = 0;
}

void resetSteps(const Configuration& configuration, const State& state, Steps& steps) {
  if (state.resetsLeft == 0 || state.windowStage != WindowStage::None) return;
  for (int back = 0; back <= state.streamed; ++back) {
    State next = state;
    --next.resetsLeft;
    ++next.resetsDone;
    next.streamed = byteOf(state.streamed - back);
    next.firstNull = 1;
    steps.push_back(Step{Action::Reset, byteOf(back), next});
    if (state.readsLeft == 0 || !othersMayRead(configuration, state)) continue;
    --next.readsLeft;
    ++next.readsDone;
    pushNullRead(next, next.row);
    steps.push_back(Step{Action::ResetAndRead, byteOf(back), next});
  }
}

void windowSteps(const Configuration& configuration, const State& state, Steps& steps) {
  if (state.windowStage == WindowStage::None) {
    if (state.windowsLeft == 0 || !othersMayRead(configuration, state)) return;
    State& next = steps.emplace_back(Step{Action::WindowOpen, 0, state}).next;
    --next.windowsLeft;
    next.windowStage = WindowStage::OpenLogged;
    appendCommit(next, kWindowOpen);
  } else if (state.windowStage == WindowStage::OpenLogged) {
    State& next = steps.emplace_back(Step{Action::WindowRead, 0, state}).next;
    next.windowStage = WindowStage::ChunkRead;
    next.windowRow = next.row;
  } else if (state.windowStage == WindowStage::ChunkRead) {
    State& next = steps.emplace_back(Step{Action::WindowClose, 0, state}).next;
    next.windowStage = WindowStage::CloseLogged;
    appendCommit(next, kWindowClose);
  }
}

}  // namespace

void emitRead(State& state, const Rows& rows, Byte askedIn, Byte askedLow) {
  ReadItem read;
  read.askedIn = askedIn;
  read.askedLow = askedLow;
  read.firstNull = state.firstNull;
  read.first = state.firstNull != 0 || state.streamed == 0 ? Byte{0} : state.commitEnd[state.streamed - 1U];
  read.lsn = read.first;
  read.value = rows;
  pushRead(state, read);
}

bool hasStreamedPast(const State& state, Byte low) {
  if (state.slot == SlotState::Missing) return false;
  return state.streamed == state.commitCount || state.commitEnd[state.streamed] > low;
}

void connectorSteps(const Configuration& configuration, const State& state, Steps& steps) {
  if (state.slot == SlotState::Missing) {
    State& next = steps.emplace_back(Step{Action::CreateSlot, 0, state}).next;
    next.slot = SlotState::Ready;
    next.streamed = next.commitCount;
    next.firstNull = 1;
    pushNullRead(next, loggedRows(configuration, next));
    return;
  }
  if (state.streamed < state.commitCount) {
    streamNext(configuration, steps.emplace_back(Step{Action::Stream, state.commitEntry[state.streamed], state}).next,
               false);
    if (state.lossesLeft > 0 && state.commitEntry[state.streamed] < kTransactions &&
        isBeforeLow(configuration, state)) {
      State& next = steps.emplace_back(Step{Action::Lose, state.commitEntry[state.streamed], state}).next;
      --next.lossesLeft;
      streamNext(configuration, next, true);
    }
  }
  resetSteps(configuration, state, steps);
  windowSteps(configuration, state, steps);
  if (state.readsLeft > 0 && state.firstNull == 0 && state.streamed > 0 && state.windowStage == WindowStage::None &&
      othersMayRead(configuration, state)) {
    State& next = steps.emplace_back(Step{Action::BlockingRead, 0, state}).next;
    --next.readsLeft;
    ++next.readsDone;
    emitRead(next, next.row, 0, 0);
  }
}

}  // namespace tidemark::model
