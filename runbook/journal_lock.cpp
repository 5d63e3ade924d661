#include "runbook/journal_lock.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>

#include <QSysInfo>

#include "engine/core/error.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

struct LockRow {
  LockHolder holder;
  std::string started;
};

std::optional<LockRow> lockRow(const JournalDatabase& database) {
  QSqlQuery query = database.run("SELECT run_id, user, host, pid, since, started FROM lock");
  if (!query.next()) return {};
  const auto column = [&](int index) { return query.value(index).toString().toStdString(); };
  return LockRow{{column(0), column(1), column(2), query.value(3).toLongLong(), column(4)}, column(5)};
}

bool isGone(const LockRow& row, const std::string& thisHost) {
  if (row.holder.host != thisHost) return false;
  return processStart(row.holder.pid) != row.started;
}

}  // namespace

std::string processStart(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  const auto afterName = line.rfind(')');
  if (afterName == std::string::npos) return {};
  std::istringstream fields(line.substr(afterName + 1));
  std::string field;
  // After the name in parentheses, the state is field 3 and the start time field 22 (proc(5)).
  for (int number = 3; number <= 22; ++number) {
    fields >> field;
    // A zombie has ended: it only waits for its parent to take note.
    if (number == 3 && field == "Z") return {};
  }
  return field;
}

std::optional<LockHolder> readLock(const JournalDatabase& database) {
  const auto row = lockRow(database);
  if (!row || isGone(*row, QSysInfo::machineHostName().toStdString())) return {};
  return row->holder;
}

std::optional<LockHolder> takeLock(const JournalDatabase& database, const LockHolder& holder) {
  const auto row = lockRow(database);
  if (row && !isGone(*row, holder.host)) {
    throw Error("journal.locked",
                text("This run is driven by %1 on %2 (process %3) since %4.", row->holder.user, row->holder.host,
                     std::to_string(row->holder.pid), row->holder.since),
                {.hint = row->holder.host == holder.host
                             ? text("End that process, or go on there.")
                             : text("Go on there. If that machine is lost, break the lock knowingly.")});
  }
  database.run("DELETE FROM lock");
  database.run("INSERT INTO lock (one, run_id, user, host, pid, since, started) VALUES (1, ?, ?, ?, ?, ?, ?)",
               {QString::fromStdString(holder.runId), QString::fromStdString(holder.user),
                QString::fromStdString(holder.host), static_cast<qlonglong>(holder.pid),
                QString::fromStdString(holder.since), QString::fromStdString(processStart(holder.pid))});
  return row ? std::optional(row->holder) : std::nullopt;
}

void releaseLock(const JournalDatabase& database, const LockHolder& holder) {
  database.run(
      "DELETE FROM lock WHERE host = ? AND pid = ? AND since = ?",
      {QString::fromStdString(holder.host), static_cast<qlonglong>(holder.pid), QString::fromStdString(holder.since)});
}

}  // namespace tidemark::runbook
