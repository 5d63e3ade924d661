#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/simulator/database.h"
#include "engine/simulator/envelope.h"

namespace tidemark {

struct ConnectorOptions {
  std::string slot = "simulator";
  bool tombstones = true;
  /// Every n-th transaction is delivered once more right after itself; 0 delivers each once.
  std::size_t repeatEvery = 0;
  /// Transactions that never arrive: how a sink gets missing, stale and ghost rows.
  std::set<std::int64_t> lose;
};

/// Streams committed transactions of a simulated database in commit order as Debezium envelopes. Its offset lies
/// durably in the database, as a slot's does: what was polled since the last commitOffset() is polled again after a
/// restart. One thread at a time. Throws Error "simulator.storage".
class SimulatedConnector {
 public:
  explicit SimulatedConnector(std::shared_ptr<SimulatedDatabase> database, ConnectorOptions options = {});

  /// The next whole transactions, as many as fit into `maximumMessages`, and at least one when there is one.
  std::vector<TopicMessage> poll(std::size_t maximumMessages);
  /// Waits for something to poll; false when `limit` passed or `stop` was requested first.
  bool wait(std::chrono::milliseconds limit, std::stop_token stop);

  /// Makes everything polled so far durable as streamed. To be called after the sink's transaction.
  void commitOffset();
  /// Goes back to the last committed offset: what was polled since then is polled again.
  void rewind();
  /// Deletes the offset, as an operator can: streams again from behind the commit `streamed` on (0: from the start of
  /// the log), and does not know the last commit before the first transaction.
  void resetOffset(std::int64_t streamed);

  /// commitEnd up to which everything was polled.
  std::int64_t polledUpTo() const { return m_state.streamed; }

 private:
  void append(const LoggedTransaction& transaction, std::vector<TopicMessage>& messages) const;

  std::shared_ptr<SimulatedDatabase> m_database;
  ConnectorOptions m_options;
  SlotState m_state;
  std::size_t m_transactions = 0;
};

}  // namespace tidemark
