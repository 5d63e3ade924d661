#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/boundary/boundary.h"
#include "engine/core/cell.h"
#include "engine/position/position.h"
#include "engine/scope/scope.h"
#include "engine/simulator/order.h"

namespace tidemark {

namespace simulator {
class Storage;
}

/// One change in the log. `after` is empty for a delete.
struct LogEntry {
  std::int64_t position = 0;
  char operation = 'c';  ///< 'c' create, 'u' update, 'd' delete.
  std::int64_t id = 0;
  std::optional<Order> after;
  bool noteUnchanged = false;  ///< An update that left the note as it was.
};

/// A committed transaction as the log holds it.
struct LoggedTransaction {
  std::int64_t transactionId = 0;
  std::int64_t commitPosition = 0;  ///< Of the commit record.
  std::int64_t commitEnd = 0;       ///< Just behind it: what a connector calls the last commit streamed.
  std::int64_t committedAt = 0;     ///< Milliseconds since 1970.
  std::vector<LogEntry> entries;    ///< In the order of their positions.
};

/// What a connector keeps durably: how far it has streamed, and the last commit it remembers having streamed.
struct SlotState {
  std::int64_t streamed = 0;               ///< A commitEnd.
  std::optional<std::int64_t> lastCommit;  ///< Empty when the offset was never written, or was deleted.
};

/// Places where a test, a rehearsal or the demo may step in. Each may be empty; called on the thread that does the
/// work, without any lock held, so that a hook may write to the database itself.
struct SimulatorHooks {
  std::function<void()> boundaryBegins;                          ///< Before `low` is taken.
  std::function<void()> transactionIdTaken;                      ///< X is taken; the wait begins.
  std::function<void(const KeyRange&)> segmentOpens;             ///< Before a segment's snapshot is taken.
  std::function<void(std::int64_t id)> segmentRead;              ///< A segment has handed out this key.
  std::function<void()> segmentEnded;                            ///< A segment was read to its end, or given up.
  std::function<void(std::int64_t transactionId)> commitLogged;  ///< In the log, and not visible to readers yet.
};

class SimulatedSession;

/// A small database for demo, rehearsal and tests that behaves as rule 4 of the law needs it: a log with growing
/// positions that a change takes when it is made, transaction ids, row locks, snapshots, and commits that may be
/// streamed before readers see them.
///
/// Durable: its files in `folder` hold what was committed, whatever kills the process, and open transactions are rolled
/// back. No log position or transaction id is handed out twice, across restarts too; so, other than a server that
/// loses its unflushed log in a crash, it is the same server after a restart, and a boundary outlives one.
/// One process at a time. Thread-safe.
class SimulatedDatabase : public std::enable_shared_from_this<SimulatedDatabase> {
 public:
  /// Opens the database in `folder`, and makes it there when there is none. Throws Error "simulator.in_use" when a
  /// process has it open, "simulator.storage".
  static std::shared_ptr<SimulatedDatabase> open(const std::filesystem::path& folder);
  ~SimulatedDatabase();
  SimulatedDatabase(const SimulatedDatabase&) = delete;
  SimulatedDatabase& operator=(const SimulatedDatabase&) = delete;

  /// A session for writing. May outlive the caller's reference to the database.
  std::unique_ptr<SimulatedSession> connect(const std::string& user, const std::string& application);

  void setHooks(SimulatorHooks hooks);
  std::shared_ptr<const SimulatorHooks> hooks() const;

  const std::string& systemId() const { return m_systemId; }
  Lineage lineage() const;
  /// Identity of the server's life. Never changes, because nothing that was committed is ever lost.
  std::string serverStart() const { return "simulator-" + m_systemId; }
  const std::filesystem::path& file() const { return m_file; }

  /// Where the next log record will begin: the very next change gets exactly this position.
  std::int64_t insertPosition() const;
  /// Where the oldest transaction that is still to be streamed begins: a slot's restart position.
  std::int64_t restartPosition(const std::string& slot) const;
  /// Assigns a transaction id in a short transaction of its own, which has ended when this returns (rule 4.2).
  std::int64_t takeTransactionId();
  /// The oldest transaction id that is still running, or the next one to be assigned (rule 4.3).
  std::int64_t snapshotXmin() const;
  /// Running transactions with an id up to `transactionId`, oldest first.
  std::vector<Blocker> runningUpTo(std::int64_t transactionId) const;
  /// Waits until snapshotXmin() is above `transactionId`; false when `limit` passed or `stop` was requested first.
  bool waitForXminAbove(std::int64_t transactionId, std::chrono::milliseconds limit, std::stop_token stop);
  /// True when a change at or above `position` was logged or is held by a running transaction.
  bool changedSince(std::int64_t position) const;

  /// commitEnd of the newest commit; 0 before the first.
  std::int64_t newestCommit() const;
  /// Waits for a commit behind `commitEnd`; false when `limit` passed or `stop` was requested first.
  bool waitForCommitAfter(std::int64_t commitEnd, std::chrono::milliseconds limit, std::stop_token stop);
  /// Committed transactions behind `commitEnd`, in commit order, at most `limit`.
  std::vector<LoggedTransaction> transactionsAfter(std::int64_t commitEnd, std::size_t limit) const;
  SlotState slot(const std::string& name) const;
  void storeSlot(const std::string& name, const SlotState& state);

  /// The committed row, as new readers see it.
  std::optional<Order> find(std::int64_t id) const;
  /// Largest key that the table or its log ever held; 0 when there was none.
  std::int64_t largestKey() const;

 private:
  friend class SimulatedSession;

  struct Running {
    std::int64_t pid = 0;
    std::string user;
    std::string application;
    std::int64_t firstPosition = 0;
    std::int64_t queryStart = 0;  ///< Microseconds since 1970.
    std::string waitEvent;
    std::chrono::steady_clock::time_point began;
  };

  explicit SimulatedDatabase(const std::filesystem::path& folder);
  void recover();

  /// Locks the key for the transaction, which gets an id at its first lock. Throws Error "simulator.lock_timeout".
  void lockKey(SimulatedSession& session, std::int64_t id);
  std::int64_t takePosition(std::int64_t bytes, std::int64_t transactionId);
  /// `logged` becomes true as soon as the commit is durable.
  void commit(SimulatedSession& session, bool& logged);
  void finish(std::int64_t transactionId);

  int m_lockFile = -1;
  std::filesystem::path m_file;
  std::string m_systemId;
  std::unique_ptr<simulator::Storage> m_storage;

  mutable std::mutex m_mutex;  ///< Guards everything below. Never held while the storage works.
  std::condition_variable_any m_changed;
  std::shared_ptr<const SimulatorHooks> m_hooks = std::make_shared<const SimulatorHooks>();
  std::int64_t m_nextPosition = 0;
  std::int64_t m_positionLimit = 0;
  std::int64_t m_nextTransactionId = 0;
  std::int64_t m_nextPid = 0;
  std::int64_t m_newestCommit = 0;
  std::map<std::int64_t, Running> m_running;         ///< By transaction id.
  std::map<std::int64_t, std::int64_t> m_lockOwner;  ///< Key to transaction id.
};

}  // namespace tidemark
