#include "runbook/journal_database.h"

#include <atomic>
#include <optional>
#include <sys/resource.h>

#include "engine/core/error.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

// SQLite's primary result codes; extended ones carry them in the low byte.
constexpr int kBusy = 5;
constexpr int kIoError = 10;
constexpr int kCorrupt = 11;
constexpr int kFull = 13;
constexpr int kNotADatabase = 26;

QString uniqueName() {
  static std::atomic<std::uint64_t> counter{0};
  return QStringLiteral("tidemark-journal-%1").arg(++counter);
}

// How much one entry may need at most, near enough.
constexpr std::uintmax_t kRoomForAnEntry = 64 * 1024;

// SQLite reports a limit on the size of files (ulimit -f) like a broken disk.
std::optional<std::uintmax_t> sizeLimitMet(const std::filesystem::path& file) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  if (unknown || size + kRoomForAnEntry < limit.rlim_cur) return {};
  return limit.rlim_cur;
}

}  // namespace

JournalDatabase::JournalDatabase(const std::filesystem::path& file, bool readOnly)
    : m_file(file), m_name(uniqueName()) {
  QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
  database.setDatabaseName(QString::fromStdString(file.string()));
  QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000");
  if (readOnly) options += QStringLiteral(";QSQLITE_OPEN_READONLY");
  database.setConnectOptions(options);
  if (!database.open()) {
    const std::string reason = database.lastError().text().toStdString();
    database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
    throw Error(
        "journal.disk", text("The journal %1 cannot be opened.", file.string()),
        {.hint = text("Check that the folder exists and that you may read and write in it."), .technical = reason});
  }
}

JournalDatabase::~JournalDatabase() {
  QSqlDatabase::database(m_name, false).close();
  QSqlDatabase::removeDatabase(m_name);
}

QSqlQuery JournalDatabase::run(const std::string& statement, const std::vector<QVariant>& values) const {
  QSqlQuery query(QSqlDatabase::database(m_name, false));
  query.setForwardOnly(true);
  if (!query.prepare(QString::fromStdString(statement))) fail(query.lastError());
  for (const QVariant& value : values) query.addBindValue(value);
  if (!query.exec()) fail(query.lastError());
  return query;
}

void JournalDatabase::fail(const QSqlError& problem) const {
  const int code = problem.nativeErrorCode().toInt() & 0xff;
  ErrorDetail detail{.technical = problem.text().toStdString(), .systemCode = problem.nativeErrorCode().toStdString()};
  if (code == kFull) {
    detail.hint =
        text("Free room on that disk and go on: what was written before is whole, and nothing was half written.");
    throw Error("journal.disk_full", text("The journal %1 cannot grow: the disk is full.", m_file.string()), detail);
  }
  if (const auto limit = code == kIoError ? sizeLimitMet(m_file) : std::nullopt) {
    detail.hint = text("Raise the limit and go on: what was written before is whole, and nothing was half written.");
    throw Error("journal.disk_full",
                text("The journal %1 cannot grow: this program may not write files larger than %2 bytes (ulimit -f).",
                     m_file.string(), groupedNumber(*limit)),
                detail);
  }
  if (code == kCorrupt || code == kNotADatabase) {
    detail.hint = text("Restore the file from a copy, or begin a new run: every write of a run may be made again.");
    throw Error("journal.torn", text("The journal %1 is damaged: the file is not whole.", m_file.string()), detail);
  }
  if (code == kBusy) {
    detail.hint = text("Another program has the file open for writing; try again when it has ended.");
    detail.retryCanHelp = true;
    throw Error("journal.busy", text("The journal %1 is being written by another program.", m_file.string()), detail);
  }
  detail.hint = code == kIoError ? text("Check the disk and its cables or mount, then open the run again.")
                                 : text("Check that you may write in the folder, then open the run again.");
  throw Error("journal.disk", text("The journal %1 cannot be read or written.", m_file.string()), detail);
}

JournalTransaction::JournalTransaction(const JournalDatabase& database) : m_database(database) {
  m_database.run("BEGIN IMMEDIATE");
}

JournalTransaction::~JournalTransaction() {
  if (!m_open) return;
  try {
    m_database.run("ROLLBACK");
  } catch (const Error&) {
    // SQLite has rolled back by itself after a full disk; there is then nothing left to undo.
  }
}

void JournalTransaction::commit() {
  m_database.run("COMMIT");
  m_open = false;
}

}  // namespace tidemark::runbook
