#include "tests/model/model.h"

#include <array>
#include <sstream>

namespace tidemark::model {
namespace {

unsigned windowProgress(const Configuration& configuration, const State& state) {
  const unsigned begun = static_cast<unsigned>(configuration.windows - state.windowsLeft);
  const unsigned stage = static_cast<unsigned>(state.windowStage);
  return begun * 4 - (stage == 0 ? 0 : 4 - stage);
}

unsigned runProgress(const State& state) {
  unsigned unapplied = 0;
  for (const Byte value : state.loaded) unapplied += value != kNoRow ? 1 : 0;
  const unsigned segment = static_cast<unsigned>(state.run * 2 + state.segment);
  return (segment + (state.phase == RunPhase::Done ? 2 : 0)) * 128 + static_cast<unsigned>(state.phase) * 8 - unapplied;
}

State withDoubtfulKeysRead(const Configuration& configuration, State state) {
  for (int key = 0; key < kKeys; ++key) {
    if (!hasBit(state.doubtful, key)) continue;
    Incoming incoming;
    incoming.key = key;
    incoming.value = state.row[static_cast<std::size_t>(key)];
    incoming.isRead = true;
    apply(configuration.rules, state, incoming, boundaryOf(configuration.rules, state.nextLsn));
  }
  return state;
}

}  // namespace

State initialState(const Configuration& configuration) {
  State state;
  state.nextLsn = configuration.firstLsn;
  state.row = configuration.row;
  state.sink = configuration.sink;
  state.abortsLeft = configuration.rollBacks;
  state.slot = configuration.freshSlot ? SlotState::Missing : SlotState::Ready;
  state.resetsLeft = configuration.resets;
  state.readsLeft = configuration.blocking;
  state.windowsLeft = configuration.windows;
  state.lossesLeft = configuration.losses;
  state.rewindsLeft = configuration.rewinds;
  state.straysLeft = configuration.strays;
  return state;
}

void Model::steps(const State& state, Steps& steps) const {
  sourceSteps(m_configuration, state, steps);
  connectorSteps(m_configuration, state, steps);
  consumerSteps(m_configuration, state, steps);
  runSteps(m_configuration, state, steps);
}

unsigned Model::rank(const State& state) const {
  unsigned rank = static_cast<unsigned>(state.slot);
  for (const Byte step : state.step) rank += step;
  rank += windowProgress(m_configuration, state);
  rank += state.streamed + state.resetsDone * 8U + state.readsDone * 2U;
  rank += state.rewindsDone * 64U + state.consumed * 4U + state.consumedChange;
  rank += static_cast<unsigned>(m_configuration.strays - state.straysLeft);
  return rank + runProgress(state);
}

bool Model::isEnd(const State& state) const {
  return allTransactionsEnded(m_configuration, state) && state.slot == SlotState::Ready &&
         state.streamed == state.commitCount && state.windowStage == WindowStage::None &&
         state.consumed == state.topicCount && runIsOver(m_configuration, state);
}

bool Model::isWrong(const State& state) const {
  const State end = withDoubtfulKeysRead(m_configuration, state);
  for (std::size_t key = 0; key < kKeys; ++key) {
    const Byte live = end.sink[key].present != 0 ? end.sink[key].value : kNoRow;
    if (live != end.row[key]) return true;
  }
  return false;
}

std::string describe(Action action, Byte argument) {
  static constexpr std::array<const char*, 26> kNames = {
      "change by T",    "commit of T",   "visible T",     "roll back T",          "create slot, initial read",
      "stream T",       "lose T",        "reset by ",     "reset and read, by ",  "blocking read",
      "window opens",   "chunk is read", "window closes", "apply item ",          "rewind to ",
      "stray item ",    "take low",      "take X",        "read and list keys",   "stamp",
      "ask for a read", "list keys",     "load key ",     "drained from here on", "preview",
      "sweep mask "};
  std::ostringstream text;
  text << kNames[static_cast<std::size_t>(action)];
  const std::string name = text.str();
  if (name.back() == ' ' || name.back() == 'T') text << static_cast<int>(argument);
  return text.str();
}

std::string describe(const State& state) {
  std::ostringstream text;
  text << "source [";
  for (const Byte value : state.row) text << ' ' << static_cast<int>(value);
  text << " ] sink [";
  for (const SinkRow& row : state.sink) {
    text << ' ';
    if (row.present == 0) {
      text << '-';
    } else {
      text << static_cast<int>(row.value) << "@(" << static_cast<int>(row.first) << ',' << static_cast<int>(row.second)
           << ')';
    }
  }
  text << " ]";
  return text.str();
}

}  // namespace tidemark::model
