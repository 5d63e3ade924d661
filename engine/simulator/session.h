#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/simulator/database.h"

namespace tidemark {

/// One writer's session on a simulated database, with at most one transaction at a time, which begins with the first
/// change. Changes stay in memory until commit(); each takes its row's lock and its log position when it is made.
/// One thread at a time. A session that ends rolls back.
class SimulatedSession {
 public:
  ~SimulatedSession();
  SimulatedSession(const SimulatedSession&) = delete;
  SimulatedSession& operator=(const SimulatedSession&) = delete;

  std::int64_t pid() const { return m_pid; }
  bool inTransaction() const { return m_transactionId != 0; }
  /// 0 outside of a transaction.
  std::int64_t transactionId() const { return m_transactionId; }
  /// Log position of the last change that was made; 0 before the first.
  std::int64_t lastPosition() const { return m_lastPosition; }

  /// The three changes: false, with nothing done but the lock taken, when the row is there already (insert) or is not
  /// there (update, remove). Throw Error "simulator.lock_timeout" when another transaction keeps the row's lock; the
  /// transaction stays as it was.
  bool insert(const Order& order);
  bool update(std::int64_t id, const std::function<void(Order&)>& change);
  bool remove(std::int64_t id);
  /// The row as this session sees it, its own changes included.
  std::optional<Order> find(std::int64_t id) const;

  /// Returns the transaction's id. Throws Error "simulator.storage"; the transaction is then rolled back.
  std::int64_t commit();
  void rollback();

 private:
  friend class SimulatedDatabase;
  SimulatedSession(std::shared_ptr<SimulatedDatabase> database, std::int64_t pid, std::string user,
                   std::string application);
  void log(char operation, std::int64_t id, std::optional<Order> after, bool noteUnchanged);
  void forget();

  std::shared_ptr<SimulatedDatabase> m_database;
  std::int64_t m_pid = 0;
  std::string m_user;
  std::string m_application;
  std::int64_t m_transactionId = 0;
  std::int64_t m_lastPosition = 0;
  std::vector<LogEntry> m_entries;
  std::map<std::int64_t, std::optional<Order>> m_changed;  ///< Newest state of each changed key.
};

}  // namespace tidemark
