#include "engine/simulator/database.h"

#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/simulator/log_storage.h"
#include "engine/simulator/session.h"
#include "engine/simulator/sql.h"
#include "engine/simulator/storage.h"

namespace tidemark {

namespace {

constexpr std::int64_t kCommitBytes = 40;
// Each life of the process numbers its log from the next of these blocks on, so that nothing that was handed out and
// lost in a crash is handed out again. 2^32 bytes of log and a million transactions are plenty for one life.
constexpr std::int64_t kPositionsPerLife = std::int64_t{1} << 32;
constexpr std::int64_t kTransactionsPerLife = std::int64_t{1} << 20;
constexpr std::chrono::seconds kLockTimeout{10};

std::string newSystemId() {
  std::random_device device;
  std::uniform_int_distribution<std::int64_t> digits(1'000'000'000'000'000'000, 8'999'999'999'999'999'999);
  return std::to_string(digits(device));
}

/// The lock goes with the process, however it ends.
int lockFolder(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "source.lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw Error("simulator.storage", "the simulator's folder " + folder.string() + " cannot be written to",
                {.hint = "Choose a folder that you may write to."});
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    throw Error("simulator.in_use", "the simulated source in " + folder.string() + " is open in another process",
                {.hint = "End the other process, or choose another folder.", .retryCanHelp = true});
  }
  return descriptor;
}

}  // namespace

std::shared_ptr<SimulatedDatabase> SimulatedDatabase::open(const std::filesystem::path& folder) {
  return std::shared_ptr<SimulatedDatabase>(new SimulatedDatabase(folder));
}

SimulatedDatabase::SimulatedDatabase(const std::filesystem::path& folder) : m_file(folder / "source.db") {
  std::error_code ignored;  // the lock file below tells why it cannot be used
  std::filesystem::create_directories(folder, ignored);
  m_lockFile = lockFolder(folder);
  try {
    m_storage = std::make_unique<simulator::Storage>(m_file);
    recover();
  } catch (...) {
    m_storage.reset();
    ::close(m_lockFile);
    throw;
  }
}

SimulatedDatabase::~SimulatedDatabase() {
  m_storage.reset();
  ::close(m_lockFile);
}

void SimulatedDatabase::recover() {
  std::int64_t life = 0;
  m_storage->run([&](simulator::SqliteFile& file) {
    simulator::WriteTransaction transaction(file);
    for (const std::string& statement : simulator::sql::createStatements()) file.run(statement);
    life = std::stoll(simulator::readMeta(file, "life").value_or("0")) + 1;
    m_systemId = simulator::readMeta(file, "system").value_or(newSystemId());
    simulator::writeMeta(file, "system", m_systemId);
    simulator::writeMeta(file, "life", std::to_string(life));
    simulator::redoInvisible(file);
    transaction.commit();
    m_newestCommit = simulator::readNumber(file, simulator::sql::kNewestCommit);
  });
  m_nextPosition = life * kPositionsPerLife;
  m_positionLimit = m_nextPosition + kPositionsPerLife;
  m_nextTransactionId = life * kTransactionsPerLife;
}

std::unique_ptr<SimulatedSession> SimulatedDatabase::connect(const std::string& user, const std::string& application) {
  const std::scoped_lock lock(m_mutex);
  return std::unique_ptr<SimulatedSession>(new SimulatedSession(shared_from_this(), ++m_nextPid, user, application));
}

void SimulatedDatabase::setHooks(SimulatorHooks hooks) {
  const std::scoped_lock lock(m_mutex);
  m_hooks = std::make_shared<const SimulatorHooks>(std::move(hooks));
}

std::shared_ptr<const SimulatorHooks> SimulatedDatabase::hooks() const {
  const std::scoped_lock lock(m_mutex);
  return m_hooks;
}

Lineage SimulatedDatabase::lineage() const {
  return {m_systemId, 1, "simulator"};
}

std::int64_t SimulatedDatabase::insertPosition() const {
  const std::scoped_lock lock(m_mutex);
  return m_nextPosition;
}

std::int64_t SimulatedDatabase::restartPosition(const std::string& name) const {
  const std::vector<LoggedTransaction> next = transactionsAfter(slot(name).streamed, 1);
  const std::scoped_lock lock(m_mutex);
  std::int64_t oldest = m_nextPosition;
  if (!next.empty() && !next.front().entries.empty()) oldest = next.front().entries.front().position;
  for (const auto& [id, running] : m_running) {
    if (running.firstPosition != 0) oldest = std::min(oldest, running.firstPosition);
  }
  return oldest;
}

std::int64_t SimulatedDatabase::takeTransactionId() {
  const std::scoped_lock lock(m_mutex);
  return m_nextTransactionId++;
}

std::int64_t SimulatedDatabase::snapshotXmin() const {
  const std::scoped_lock lock(m_mutex);
  return m_running.empty() ? m_nextTransactionId : m_running.begin()->first;
}

std::vector<Blocker> SimulatedDatabase::runningUpTo(std::int64_t transactionId) const {
  const std::scoped_lock lock(m_mutex);
  std::vector<Blocker> blockers;
  for (const auto& [id, running] : m_running) {
    if (id > transactionId) break;
    Blocker blocker;
    blocker.pid = running.pid;
    blocker.user = running.user;
    blocker.application = running.application;
    blocker.transactionId = std::to_string(id);
    blocker.age = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - running.began);
    blocker.queryStart = canonicalTimestamp(running.queryStart);
    blocker.waitEvent = running.waitEvent;
    blockers.push_back(std::move(blocker));
  }
  return blockers;
}

bool SimulatedDatabase::waitForXminAbove(std::int64_t transactionId, std::chrono::milliseconds limit,
                                         std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, stop, limit,
                            [&] { return m_running.empty() || m_running.begin()->first > transactionId; });
}

bool SimulatedDatabase::changedSince(std::int64_t position) const {
  {
    const std::scoped_lock lock(m_mutex);
    if (m_nextPosition == position) return false;
    for (const auto& [id, running] : m_running) {
      if (running.firstPosition != 0) return true;
    }
  }
  bool changed = false;
  m_storage->run([&](simulator::SqliteFile& file) {
    changed = simulator::Statement(file, simulator::sql::kChangedSince).bind(position).execute().next();
  });
  return changed;
}

std::int64_t SimulatedDatabase::newestCommit() const {
  const std::scoped_lock lock(m_mutex);
  return m_newestCommit;
}

bool SimulatedDatabase::waitForCommitAfter(std::int64_t commitEnd, std::chrono::milliseconds limit,
                                           std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, stop, limit, [&] { return m_newestCommit > commitEnd; });
}

std::vector<LoggedTransaction> SimulatedDatabase::transactionsAfter(std::int64_t commitEnd, std::size_t limit) const {
  std::vector<LoggedTransaction> transactions;
  m_storage->run(
      [&](simulator::SqliteFile& file) { transactions = simulator::readTransactions(file, commitEnd, limit); });
  return transactions;
}

SlotState SimulatedDatabase::slot(const std::string& name) const {
  SlotState state;
  m_storage->run([&](simulator::SqliteFile& file) {
    simulator::Statement row(file, simulator::sql::kReadSlot);
    if (!row.bind(name).execute().next()) return;
    state.streamed = row.integer(0);
    if (const auto last = row.textOrNull(1)) state.lastCommit = std::stoll(*last);
  });
  return state;
}

void SimulatedDatabase::storeSlot(const std::string& name, const SlotState& state) {
  m_storage->run([&](simulator::SqliteFile& file) {
    simulator::Statement write(file, simulator::sql::kWriteSlot);
    write.bind(name).bind(state.streamed);
    write.bind(state.lastCommit ? std::optional(std::to_string(*state.lastCommit)) : std::nullopt).execute();
  });
}

std::optional<Order> SimulatedDatabase::find(std::int64_t id) const {
  std::optional<Order> order;
  m_storage->run([&](simulator::SqliteFile& file) { order = simulator::readOrder(file, id); });
  return order;
}

std::int64_t SimulatedDatabase::largestKey() const {
  std::int64_t key = 0;
  m_storage->run([&](simulator::SqliteFile& file) { key = simulator::readNumber(file, simulator::sql::kLargestKey); });
  return key;
}

void SimulatedDatabase::lockKey(SimulatedSession& session, std::int64_t id) {
  std::unique_lock lock(m_mutex);
  if (session.m_transactionId == 0) {
    session.m_transactionId = m_nextTransactionId++;
    Running& running = m_running[session.m_transactionId];
    running.pid = session.m_pid;
    running.user = session.m_user;
    running.application = session.m_application;
    running.began = std::chrono::steady_clock::now();
  }
  const std::int64_t own = session.m_transactionId;
  Running& running = m_running.at(own);
  running.queryStart = microsecondsNow();
  const auto free = [&] {
    const auto owner = m_lockOwner.find(id);
    return owner == m_lockOwner.end() || owner->second == own;
  };
  if (!free()) running.waitEvent = "tuple";
  const bool locked = m_changed.wait_for(lock, kLockTimeout, free);
  running.waitEvent.clear();
  if (!locked) {
    throw Error("simulator.lock_timeout",
                "order " + std::to_string(id) + " is locked by transaction " + std::to_string(m_lockOwner.at(id)),
                {.hint = "Roll back and try again.", .retryCanHelp = true});
  }
  m_lockOwner[id] = own;
}

std::int64_t SimulatedDatabase::takePosition(std::int64_t bytes, std::int64_t transactionId) {
  const std::scoped_lock lock(m_mutex);
  if (m_nextPosition + bytes > m_positionLimit) {
    throw Error("simulator.log_full", "the simulator's log has no positions left for this process",
                {.hint = "Start it again: the next process numbers its log from a new block on."});
  }
  const std::int64_t position = m_nextPosition;
  m_nextPosition += bytes;
  Running& running = m_running.at(transactionId);
  if (running.firstPosition == 0) running.firstPosition = position;
  return position;
}

void SimulatedDatabase::commit(SimulatedSession& session, bool& logged) {
  const std::shared_ptr<const SimulatorHooks> steps = hooks();
  const bool visibleAtOnce = !steps->commitLogged;
  LoggedTransaction transaction;
  transaction.transactionId = session.m_transactionId;
  transaction.committedAt = microsecondsNow() / 1000;
  transaction.entries = session.m_entries;
  m_storage->run([&](simulator::SqliteFile& file) {
    // Taken here, where commits stand in line: a connector that reads by commit position must never be overtaken.
    transaction.commitPosition = takePosition(kCommitBytes, transaction.transactionId);
    transaction.commitEnd = transaction.commitPosition + kCommitBytes;
    simulator::WriteTransaction write(file);
    simulator::writeLog(file, transaction, visibleAtOnce);
    if (visibleAtOnce) simulator::applyToTable(file, transaction);
    write.commit();
  });
  logged = true;
  {
    const std::scoped_lock lock(m_mutex);
    m_newestCommit = std::max(m_newestCommit, transaction.commitEnd);
    m_changed.notify_all();
  }
  if (visibleAtOnce) return;
  steps->commitLogged(transaction.transactionId);
  m_storage->run([&](simulator::SqliteFile& file) {
    simulator::WriteTransaction write(file);
    simulator::applyToTable(file, transaction);
    write.commit();
  });
}

void SimulatedDatabase::finish(std::int64_t transactionId) {
  const std::scoped_lock lock(m_mutex);
  m_running.erase(transactionId);
  std::erase_if(m_lockOwner, [&](const auto& entry) { return entry.second == transactionId; });
  m_changed.notify_all();
}

}  // namespace tidemark
