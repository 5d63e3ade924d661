#pragma once

#include <string>
#include <vector>

#include "tests/model/configuration.h"

namespace tidemark::model {

enum class Action : Byte {
  Change,
  Commit,
  BecomeVisible,
  RollBack,
  CreateSlot,
  Stream,
  Lose,
  Reset,
  ResetAndRead,
  BlockingRead,
  WindowOpen,
  WindowRead,
  WindowClose,
  Apply,
  Rewind,
  Stray,
  TakeLow,
  TakeX,
  Read,
  Stamp,
  AskRead,
  ListKeys,
  Load,
  CheckDrained,
  Preview,
  Sweep,
};

/// One thing that can happen next, and the state after it.
struct Step {
  Action action;
  Byte argument;
  State next;
};
using Steps = std::vector<Step>;

/// "stream T2", "take low": for counterexamples.
std::string describe(Action action, Byte argument);
std::string describe(const State& state);

// Source (source.cpp).
void sourceSteps(const Configuration& configuration, const State& state, Steps& steps);
bool allTransactionsEnded(const Configuration& configuration, const State& state);
/// Transactions that own an id and have not ended for readers.
Byte runningTransactions(const Configuration& configuration, const State& state);
/// Those of them that a wait for xmin >= xmax of this moment waits for.
Byte runningBelowXmax(const Configuration& configuration, const State& state);
/// Those that a session still owns, when each transaction is prepared after its last change.
Byte runningInSessions(const Configuration& configuration, const State& state);
/// The slot's restart_lsn: nothing that the connector still has to decode begins below it.
Byte restartLsn(const Configuration& configuration, const State& state);
Byte appendCommit(State& state, Byte entry);

// Connector (connector.cpp).
void connectorSteps(const Configuration& configuration, const State& state, Steps& steps);
bool hasStreamedPast(const State& state, Byte low);
/// Puts a read of `rows` into the topic with the sequence that a blocking read has now.
void emitRead(State& state, const std::array<Byte, kKeys>& rows, Byte askedIn, Byte askedLow);

// Consumer (consumer.cpp).
void consumerSteps(const Configuration& configuration, const State& state, Steps& steps);

// Tidemark (run.cpp).
void runSteps(const Configuration& configuration, const State& state, Steps& steps);
Position boundaryOfSegment(const Rules& rules, const State& state, int segment);
bool runIsOver(const Configuration& configuration, const State& state);

/// A configuration as the explorer sees it.
class Model {
 public:
  explicit Model(Configuration configuration) : m_configuration(std::move(configuration)) {}

  const Configuration& configuration() const { return m_configuration; }
  State initial() const { return initialState(m_configuration); }
  void steps(const State& state, Steps& steps) const;
  /// Grows with every step: states of a rank can only be reached from lower ranks.
  unsigned rank(const State& state) const;
  /// Everything that must happen has happened: transactions ended, topic drained, runs over.
  bool isEnd(const State& state) const;
  /// An end whose live sink rows are not the source's rows, doubtful keys read again.
  bool isWrong(const State& state) const;

 private:
  Configuration m_configuration;
};

}  // namespace tidemark::model
