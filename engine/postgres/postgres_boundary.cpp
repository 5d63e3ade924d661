#include "engine/postgres/postgres_boundary.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "engine/core/error.h"
#include "engine/postgres/postgres_source_sql.h"

namespace tidemark::postgres {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr milliseconds kFirstPoll = 10ms;
constexpr milliseconds kLongestPoll = 250ms;
constexpr milliseconds kObserverInterval = 1s;
constexpr milliseconds kFlushLimit = 60s;  ///< Six times the longest wal_writer_delay there is.

/// Waits between two questions: short at first, then longer. Throws Cancelled when a stop is requested.
class Patience {
 public:
  Patience(std::stop_token stop, std::optional<milliseconds> limit)
      : m_stop(std::move(stop)), m_limit(limit), m_start(Clock::now()) {}

  milliseconds waited() const { return std::chrono::duration_cast<milliseconds>(Clock::now() - m_start); }
  bool exhausted() const { return m_limit && waited() >= *m_limit; }
  void wait() {
    std::mutex mutex;
    std::condition_variable_any neverNotified;
    std::unique_lock lock(mutex);
    neverNotified.wait_for(lock, m_stop, m_interval, [] { return false; });
    if (m_stop.stop_requested()) throw Cancelled();
    m_interval = std::min(m_interval * 2, kLongestPoll);
  }

 private:
  std::stop_token m_stop;
  std::optional<milliseconds> m_limit;
  Clock::time_point m_start;
  milliseconds m_interval = kFirstPoll;
};

std::int64_t position(Connection& connection, const char* question) {
  return parseLsn(connection.scalar(question).value_or(""));
}

bool oldNames(const Connection& connection) {
  return connection.serverVersion() < sql::kNamesWithoutTxid;
}

/// Takes a transaction id in a transaction of its own, which writes nothing but the record of its end.
std::string takeTransactionId(Connection& connection) {
  connection.begin(Isolation::ReadCommitted, Access::ReadOnly);
  const Value id = connection.scalar(oldNames(connection) ? sql::kTakeTransactionIdOld : sql::kTakeTransactionId);
  connection.commit();
  return id.value_or("");
}

std::uint64_t oldestRunning(Connection& connection) {
  return std::stoull(*connection.scalar(oldNames(connection) ? sql::kOldestRunningOld : sql::kOldestRunning));
}

/// Returns once everything below `target` is on disk; false when the patience ran out.
bool waitUntilFlushed(Connection& connection, std::int64_t target, Patience& patience) {
  if (position(connection, sql::kFlushPosition) >= target) return true;
  // A quiet server may leave its last records in memory for long, and at a page's edge the insert position lies beyond
  // the page header, where no flush gets to. The end of an empty transaction is a record that moves both on.
  takeTransactionId(connection);
  while (position(connection, sql::kFlushPosition) < target) {
    if (patience.exhausted()) return false;
    patience.wait();
  }
  return true;
}

/// Locks name transactions by the lower 32 bits of their ids.
bool isAtOrBelow(const std::string& shortId, std::uint64_t limit) {
  const auto behind = static_cast<std::uint32_t>(limit) - static_cast<std::uint32_t>(std::stoul(shortId));
  return behind < 0x80000000U;
}

std::vector<Blocker> blockersOf(Connection& connection, std::uint64_t transaction) {
  std::vector<Blocker> blockers;
  const Result rows = connection.exec(sql::kTransactions);
  for (std::size_t row = 0; row < rows.rows.size(); ++row) {
    if (!isAtOrBelow(rows.text(row, 4), transaction)) continue;
    // Subtransactions hold ids of their own: one entry a session.
    const std::int64_t pid = rows.number(row, 0);
    const bool known = pid != 0 && std::any_of(blockers.begin(), blockers.end(),
                                               [&](const Blocker& blocker) { return blocker.pid == pid; });
    if (known) continue;
    blockers.push_back({pid, rows.text(row, 1), rows.text(row, 2), rows.text(row, 3), rows.text(row, 4),
                        std::chrono::seconds(rows.number(row, 5)), rows.text(row, 6), rows.text(row, 7)});
  }
  return blockers;
}

void remember(std::vector<Blocker>& all, const std::vector<Blocker>& seen) {
  for (const Blocker& blocker : seen) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Blocker& other) {
      return other.pid == blocker.pid && other.transactionId == blocker.transactionId;
    });
    if (known == all.end())
      all.push_back(blocker);
    else
      *known = blocker;
  }
}

std::string describe(const Blocker& blocker) {
  if (!blocker.preparedName.empty())
    return "prepared transaction '" + blocker.preparedName + "' of " + blocker.user + ", " +
           std::to_string(blocker.age.count()) + " s old";
  std::string text = "process " + std::to_string(blocker.pid);
  if (!blocker.user.empty()) text += " of " + blocker.user;
  if (!blocker.application.empty()) text += " (" + blocker.application + ")";
  text += ", transaction " + blocker.transactionId + ", " + std::to_string(blocker.age.count()) + " s old";
  if (!blocker.waitEvent.empty()) text += ", waits for " + blocker.waitEvent;
  return text;
}

std::string describe(const std::vector<Blocker>& blockers) {
  std::string text;
  for (const Blocker& blocker : blockers) text += (text.empty() ? "" : "; ") + describe(blocker);
  return text.empty() ? "nobody who can be seen by this role" : text;
}

Error timeoutError(const std::string& what, milliseconds waited) {
  return Error("boundary.timeout", "no boundary after " + std::to_string(waited.count()) + " ms: " + what,
               {"Wait for these transactions, end them (pg_terminate_backend, ROLLBACK PREPARED), or allow more time.",
                {},
                {},
                true,
                false});
}

void requirePrimary(const ServerLife& life, const Connection& connection) {
  if (!life.standby) return;
  throw Error("boundary.standby",
              connection.describe() +
                  " is a standby: it can neither take a transaction id nor tell which transactions "
                  "of its primary are still open, so no boundary can be taken on it",
              {"Name the primary in the profile's source connection.", {}, {}, false, false});
}

void requireSameLife(const ServerLife& life, const Boundary& boundary) {
  if (life.life == boundary.serverStart && life.system == boundary.lineage.system &&
      life.timeline == boundary.lineage.timeline)
    return;
  throw Error(
      "boundary.server_restarted",
      "the source server is not the one, or not any more the one, that the boundary was captured on: what was "
      "read may hold changes that the crash undid",
      {"Capture a new boundary and read this segment again; what was written under the old one is mended by it.",
       "at the boundary: " + boundary.serverStart + " " + boundary.lineage.display() + "\nnow: " + life.life + " " +
           life.system + "/" + std::to_string(life.timeline),
       {},
       false,
       false});
}

/// Rule 4.3: polls until every transaction up to `transaction` has ended.
void waitUntilEnded(Connection& connection, std::uint64_t transaction, Patience& patience,
                    const BoundaryObserver& observer, Boundary& boundary) {
  auto observed = milliseconds::min();
  while (oldestRunning(connection) <= transaction) {
    const std::vector<Blocker> blockers = blockersOf(connection, transaction);
    remember(boundary.heldBackBy, blockers);
    const milliseconds waited = patience.waited();
    if (patience.exhausted()) throw timeoutError("held back by " + describe(blockers), waited);
    if (observed == milliseconds::min() || waited - observed >= kObserverInterval) {
      observed = waited;
      if (observer && !observer(blockers, waited))
        throw Error("boundary.given_up",
                    "the wait for the boundary was given up; it was held back by " + describe(blockers),
                    {"Try again when these transactions have ended.", {}, {}, true, false});
    }
    patience.wait();
  }
}

}  // namespace

ServerLife serverLife(Connection& connection) {
  const Result row = connection.exec(sql::kServerLife);
  return {row.truth(0, 0), row.text(0, 1), row.text(0, 2), row.number(0, 3)};
}

Boundary captureBoundary(Connection& connection, const BoundaryOptions& options, std::stop_token stop,
                         const BoundaryObserver& observer) {
  const StopScope scope = connection.stopScope(stop);
  const ServerLife life = serverLife(connection);
  requirePrimary(life, connection);
  Boundary boundary;
  boundary.serverStart = life.life;
  boundary.lineage = {life.system, life.timeline, options.slot};
  boundary.low = position(connection, sql::kInsertPosition);
  boundary.position = boundaryPosition(options.scheme, boundary.low);
  Patience flush(stop, kFlushLimit);
  if (!waitUntilFlushed(connection, boundary.low, flush))
    throw timeoutError("the log is not flushed up to " + formatLsn(boundary.low), flush.waited());
  boundary.transactionId = takeTransactionId(connection);
  // The operator's limit is for other people's transactions.
  Patience patience(stop, options.timeout);
  waitUntilEnded(connection, std::stoull(boundary.transactionId), patience, observer, boundary);
  boundary.settled = position(connection, sql::kInsertPosition);
  boundary.waited = flush.waited();
  if (!options.slot.empty()) {
    const Result slot = connection.exec(sql::kSlotRestart, {options.slot});
    if (!slot.empty()) boundary.restartLsn = slot.text(0, 0);
  }
  requireSameLife(serverLife(connection), boundary);
  return boundary;
}

void confirmRead(Connection& connection, const Boundary& boundary, std::stop_token stop) {
  const StopScope scope = connection.stopScope(stop);
  requireSameLife(serverLife(connection), boundary);
  Patience patience(stop, std::nullopt);
  waitUntilFlushed(connection, position(connection, sql::kInsertPosition), patience);
  // A crash during the wait would have thrown away what the wait was for.
  requireSameLife(serverLife(connection), boundary);
}

void beginRead(Connection& connection, const std::string& lockStatement, const Boundary& boundary) {
  const bool stamped = !boundary.serverStart.empty();  // Verification reads keys that it stamps with nothing.
  if (stamped) requireSameLife(serverLife(connection), boundary);
  connection.begin(Isolation::RepeatableRead, Access::ReadOnly);
  connection.execScript(lockStatement);
  if (stamped && oldestRunning(connection) <= std::stoull(boundary.transactionId))
    throw Error("boundary.not_reached",
                "a read was begun before every transaction up to " + boundary.transactionId + " had ended",
                {"Capture the boundary again and read under the new one.", {}, {}, false, false});
}

}  // namespace tidemark::postgres
