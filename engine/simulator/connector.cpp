#include "engine/simulator/connector.h"

#include <algorithm>

namespace tidemark {

namespace {
// Transactions fetched in one go: enough for a batch of single changes, few enough to hold in memory when large.
constexpr std::size_t kTransactionsPerFetch = 200;
}  // namespace

SimulatedConnector::SimulatedConnector(std::shared_ptr<SimulatedDatabase> database, ConnectorOptions options)
    : m_database(std::move(database)), m_options(std::move(options)), m_state(m_database->slot(m_options.slot)) {}

std::vector<TopicMessage> SimulatedConnector::poll(std::size_t maximumMessages) {
  std::vector<TopicMessage> messages;
  const std::size_t limit = std::clamp<std::size_t>(maximumMessages, 1, kTransactionsPerFetch);
  for (const LoggedTransaction& transaction : m_database->transactionsAfter(m_state.streamed, limit)) {
    if (!messages.empty() && messages.size() + transaction.entries.size() > maximumMessages) break;
    if (!m_options.lose.contains(transaction.transactionId)) {
      append(transaction, messages);
      ++m_transactions;
      if (m_options.repeatEvery != 0 && m_transactions % m_options.repeatEvery == 0) append(transaction, messages);
    }
    m_state.streamed = transaction.commitEnd;
    m_state.lastCommit = transaction.commitEnd;
  }
  return messages;
}

bool SimulatedConnector::wait(std::chrono::milliseconds limit, std::stop_token stop) {
  return m_database->waitForCommitAfter(m_state.streamed, limit, std::move(stop));
}

void SimulatedConnector::append(const LoggedTransaction& transaction, std::vector<TopicMessage>& messages) const {
  for (const LogEntry& entry : transaction.entries) {
    messages.push_back(envelope(transaction, entry, m_state.lastCommit));
    if (!entry.after && m_options.tombstones) messages.push_back(tombstone(entry));
  }
}

void SimulatedConnector::commitOffset() {
  m_database->storeSlot(m_options.slot, m_state);
}

void SimulatedConnector::rewind() {
  m_state = m_database->slot(m_options.slot);
}

void SimulatedConnector::resetOffset(std::int64_t streamed) {
  m_state = {streamed, std::nullopt};
  commitOffset();
}

}  // namespace tidemark
