#include "engine/simulator/session.h"

namespace tidemark {

namespace {
/// Bytes that a change takes in the log: its head, and its values in eights.
std::int64_t logBytes(const std::optional<Order>& after) {
  std::size_t bytes = 56;
  if (after) {
    bytes += after->customer.size() + after->status.size() + after->total.size() + after->updatedAt.size();
    bytes += after->note ? after->note->size() : 0;
  }
  return static_cast<std::int64_t>((bytes + 7) / 8 * 8);
}
}  // namespace

SimulatedSession::SimulatedSession(std::shared_ptr<SimulatedDatabase> database, std::int64_t pid, std::string user,
                                   std::string application)
    : m_database(std::move(database)), m_pid(pid), m_user(std::move(user)), m_application(std::move(application)) {}

SimulatedSession::~SimulatedSession() {
  rollback();
}

bool SimulatedSession::insert(const Order& order) {
  m_database->lockKey(*this, order.id);
  if (find(order.id)) return false;
  log('c', order.id, order, false);
  return true;
}

bool SimulatedSession::update(std::int64_t id, const std::function<void(Order&)>& change) {
  m_database->lockKey(*this, id);
  const std::optional<Order> before = find(id);
  if (!before) return false;
  Order after = *before;
  change(after);
  after.id = id;
  const bool noteUnchanged = after.note == before->note;
  log('u', id, std::move(after), noteUnchanged);
  return true;
}

bool SimulatedSession::remove(std::int64_t id) {
  m_database->lockKey(*this, id);
  if (!find(id)) return false;
  log('d', id, std::nullopt, false);
  return true;
}

std::optional<Order> SimulatedSession::find(std::int64_t id) const {
  if (const auto own = m_changed.find(id); own != m_changed.end()) return own->second;
  return m_database->find(id);
}

void SimulatedSession::log(char operation, std::int64_t id, std::optional<Order> after, bool noteUnchanged) {
  LogEntry entry;
  entry.position = m_database->takePosition(logBytes(after), m_transactionId);
  entry.operation = operation;
  entry.id = id;
  entry.after = after;
  entry.noteUnchanged = noteUnchanged;
  m_lastPosition = entry.position;
  m_entries.push_back(std::move(entry));
  m_changed[id] = std::move(after);
}

std::int64_t SimulatedSession::commit() {
  const std::int64_t transactionId = m_transactionId;
  bool logged = false;
  try {
    if (!m_entries.empty()) m_database->commit(*this, logged);
  } catch (...) {
    // Once in the log it is committed, though readers do not see it: until recovery shows it, it must go on holding
    // back boundaries, as a running transaction does.
    if (logged) forget();
    rollback();
    throw;
  }
  rollback();  // what is left to do: locks and the place among the running transactions
  return transactionId;
}

void SimulatedSession::rollback() {
  if (m_transactionId != 0) m_database->finish(m_transactionId);
  forget();
}

void SimulatedSession::forget() {
  m_transactionId = 0;
  m_entries.clear();
  m_changed.clear();
}

}  // namespace tidemark
