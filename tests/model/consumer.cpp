#include "tests/model/model.h"

namespace tidemark::model {
namespace {

/// The commit entry of a transaction, for what the connector knew when it streamed it.
std::size_t commitIndex(const State& state, Byte transaction) {
  std::size_t index = 0;
  while (state.commitEntry[index] != transaction) ++index;
  return index;
}

void applyRead(const Configuration& configuration, State& state, std::size_t slot) {
  const ReadItem read = state.read[slot];
  for (int key = 0; key < kKeys; ++key) {
    const Byte value = read.value[static_cast<std::size_t>(key)];
    if (value == kNoRow) continue;
    Incoming incoming;
    incoming.key = key;
    incoming.value = value;
    incoming.isRead = true;
    if (read.firstNull == 0) incoming.first = read.first;
    incoming.lsn = read.lsn;
    const Rules& rules = configuration.rules;
    const bool isStamped = read.askedIn != 0 && (rules.askedKeepBoundary || read.askedIn == state.run + 1);
    apply(rules, state, incoming, isStamped ? boundaryOf(rules, read.askedLow) : positionOf(rules, incoming));
  }
}

void applyChange(const Configuration& configuration, State& state, Byte item, std::size_t change) {
  const Byte transaction = item & kItemIndex;
  const std::size_t index = commitIndex(state, transaction);
  const Operation& operation = configuration.transactions[transaction].operations[change];
  Incoming incoming;
  incoming.key = operation.key;
  incoming.value = operation.value;
  incoming.lsn = state.changeLsn[transaction][change];
  incoming.commitEnd = state.commitEnd[index];
  if ((item & kItemNullFirst) == 0) incoming.first = index > 0 ? state.commitEnd[index - 1] : configuration.firstLsn;
  apply(configuration.rules, state, incoming, positionOf(configuration.rules, incoming));
}

/// What can never be delivered again is forgotten, so that histories which differ in it alone meet again.
void forgetConsumed(State& state) {
  if (state.rewindsLeft > 0 || state.straysLeft > 0) return;
  for (std::size_t i = 0; i < state.consumed; ++i) {
    if ((state.topic[i] & kItemIsRead) != 0) {
      state.read[state.topic[i] & kItemIndex] = ReadItem{};
    }
    state.topic[i] = 0;
  }
}

void straySteps(const Configuration& configuration, const State& state, Steps& steps) {
  if (state.straysLeft == 0) return;
  for (std::size_t i = 0; i < state.consumed; ++i) {
    const Byte item = state.topic[i];
    const bool isRead = (item & kItemIsRead) != 0;
    const std::size_t parts = isRead ? 1 : configuration.transactions[item & kItemIndex].operations.size();
    for (std::size_t part = 0; part < parts; ++part) {
      State& next = steps.emplace_back(Step{Action::Stray, byteOf(static_cast<int>(i)), state}).next;
      --next.straysLeft;
      if (isRead) {
        applyRead(configuration, next, item & kItemIndex);
      } else {
        applyChange(configuration, next, item, part);
      }
      forgetConsumed(next);
    }
  }
}

void rewindSteps(const State& state, Steps& steps) {
  if (state.rewindsLeft == 0) return;
  const int farthest = state.consumed - (state.consumedChange == 0 ? 1 : 0);
  for (int item = 0; item <= farthest; ++item) {
    State& next = steps.emplace_back(Step{Action::Rewind, byteOf(item), state}).next;
    --next.rewindsLeft;
    ++next.rewindsDone;
    next.consumed = byteOf(item);
    next.consumedChange = 0;
    forgetConsumed(next);
  }
}

}  // namespace

void consumerSteps(const Configuration& configuration, const State& state, Steps& steps) {
  if (state.consumed < state.topicCount) {
    const Byte item = state.topic[state.consumed];
    State& next = steps.emplace_back(Step{Action::Apply, item, state}).next;
    bool finished = true;
    if ((item & kItemIsRead) != 0) {
      applyRead(configuration, next, item & kItemIndex);
    } else {
      applyChange(configuration, next, item, next.consumedChange);
      ++next.consumedChange;
      finished = next.consumedChange == configuration.transactions[item & kItemIndex].operations.size();
    }
    if (finished) {
      next.consumedChange = 0;
      ++next.consumed;
      forgetConsumed(next);
    }
  }
  rewindSteps(state, steps);
  straySteps(configuration, state, steps);
}

}  // namespace tidemark::model
