#include "tests/model/model.h"

namespace tidemark::model {
namespace {

// step[t]: 0 not begun; 1..n that many changes made; n + 1 committed in the log; n + 2 ended for readers.
int operationsOf(const Configuration& configuration, std::size_t transaction) {
  return static_cast<int>(configuration.transactions[transaction].operations.size());
}

bool isRunning(const Configuration& configuration, const State& state, std::size_t transaction) {
  return state.step[transaction] >= 1 && state.step[transaction] <= operationsOf(configuration, transaction) + 1;
}

bool isLockedByAnother(const Configuration& configuration, const State& state, std::size_t transaction, Byte key) {
  if (!configuration.rowLocks) return false;
  for (std::size_t other = 0; other < configuration.transactions.size(); ++other) {
    if (other == transaction || !isRunning(configuration, state, other)) continue;
    const auto& operations = configuration.transactions[other].operations;
    for (std::size_t i = 0; i < operations.size() && i < state.step[other]; ++i) {
      if (operations[i].key == key) return true;
    }
  }
  return false;
}

void becomeVisible(const Configuration& configuration, State& state, std::size_t transaction) {
  for (const Operation& operation : configuration.transactions[transaction].operations) {
    state.row[operation.key] = operation.value;
  }
  state.step[transaction] = byteOf(operationsOf(configuration, transaction) + 2);
}

void transactionSteps(const Configuration& configuration, const State& state, std::size_t transaction, Steps& steps) {
  const int length = operationsOf(configuration, transaction);
  const Byte step = state.step[transaction];
  const Byte argument = byteOf(static_cast<int>(transaction));
  if (step < length) {
    const Byte key = configuration.transactions[transaction].operations[step].key;
    if (!isLockedByAnother(configuration, state, transaction, key)) {
      State& next = steps.emplace_back(Step{Action::Change, argument, state}).next;
      next.changeLsn[transaction][step] = next.nextLsn++;
      ++next.step[transaction];
    }
  } else if (step == length) {
    State& next = steps.emplace_back(Step{Action::Commit, argument, state}).next;
    appendCommit(next, argument);
    ++next.step[transaction];
    if (!configuration.visibleLater) becomeVisible(configuration, next, transaction);
  } else if (step == length + 1) {
    becomeVisible(configuration, steps.emplace_back(Step{Action::BecomeVisible, argument, state}).next, transaction);
  }
  if (step >= 1 && step <= length && state.abortsLeft > 0) {
    State& next = steps.emplace_back(Step{Action::RollBack, argument, state}).next;
    --next.abortsLeft;
    ++next.nextLsn;
    next.step[transaction] = byteOf(length + 2);
  }
}

}  // namespace

Byte appendCommit(State& state, Byte entry) {
  ++state.nextLsn;
  state.commitEntry[state.commitCount] = entry;
  state.commitEnd[state.commitCount] = state.nextLsn;
  ++state.commitCount;
  return state.nextLsn;
}

void sourceSteps(const Configuration& configuration, const State& state, Steps& steps) {
  for (std::size_t t = 0; t < configuration.transactions.size(); ++t) transactionSteps(configuration, state, t, steps);
}

bool allTransactionsEnded(const Configuration& configuration, const State& state) {
  for (std::size_t t = 0; t < configuration.transactions.size(); ++t) {
    if (state.step[t] != operationsOf(configuration, t) + 2) return false;
  }
  return true;
}

Byte runningTransactions(const Configuration& configuration, const State& state) {
  Byte running = 0;
  for (std::size_t t = 0; t < configuration.transactions.size(); ++t) {
    if (isRunning(configuration, state, t)) setBit(running, static_cast<int>(t));
  }
  return running;
}

Byte runningBelowXmax(const Configuration& configuration, const State& state) {
  // A transaction takes its id with its first change; xmax is one above the newest id that has ended.
  Byte newestEnded = 0;
  for (std::size_t t = 0; t < configuration.transactions.size(); ++t) {
    const bool ended = state.step[t] == operationsOf(configuration, t) + 2;
    if (ended && state.changeLsn[t][0] > newestEnded) newestEnded = state.changeLsn[t][0];
  }
  Byte running = runningTransactions(configuration, state);
  for (std::size_t t = 0; t < configuration.transactions.size(); ++t) {
    if (state.changeLsn[t][0] > newestEnded) clearBit(running, static_cast<int>(t));
  }
  return running;
}

Byte runningInSessions(const Configuration& configuration, const State& state) {
  Byte running = runningTransactions(configuration, state);
  for (std::size_t t = 0; t < configuration.transactions.size(); ++t) {
    if (state.step[t] == operationsOf(configuration, t)) clearBit(running, static_cast<int>(t));
  }
  return running;
}

Byte restartLsn(const Configuration& configuration, const State& state) {
  Byte restart = state.nextLsn;
  const auto holdBack = [&](std::size_t t) {
    if (state.changeLsn[t][0] < restart) restart = state.changeLsn[t][0];
  };
  for (std::size_t t = 0; t < configuration.transactions.size(); ++t) {
    if (state.step[t] >= 1 && state.step[t] <= operationsOf(configuration, t)) holdBack(t);
  }
  for (std::size_t i = state.streamed; i < state.commitCount; ++i) {
    if (state.commitEntry[i] < kTransactions) holdBack(state.commitEntry[i]);
  }
  return restart;
}

}  // namespace tidemark::model
