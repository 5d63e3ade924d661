#include "engine/sqlite/sqlite_connection.h"

#include <atomic>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include "engine/core/error.h"

namespace tidemark::sqlite {

namespace {

/// How long a statement waits for another writer before it gives up.
constexpr int kBusyMilliseconds = 15000;

struct Meaning {
  int code;
  const char* error;
  const char* reason;
  const char* hint;
  bool retryCanHelp;
};

// Primary result codes of SQLite (the low byte of an extended one).
constexpr Meaning kMeanings[] = {
    {5, "sink.busy", "another program is writing to it",
     "Wait until the other writer has finished, then try again. Nothing of this step was written.", true},
    {6, "sink.busy", "another statement holds the table",
     "Wait until the other statement has finished, then try again. Nothing of this step was written.", true},
    {8, "sink.read_only", "it may not be written to",
     "Give the user that runs this program the right to write to the file and its folder.", false},
    {10, "sink.disk", "reading or writing the file failed",
     "Check the disk. What was committed before stays committed.", true},
    {11, "sink.not_a_database", "the file is damaged", "Restore it from a backup before anything is written to it.",
     false},
    {13, "sink.disk_full", "the disk is full", "Free room on that disk, then go on: what was committed stays.", true},
    {14, "sink.no_database", "the file cannot be opened", "Check the path and the rights on the folder.", false},
    {19, "sink.constraint", "a constraint of the table refuses the row",
     "Payload columns must accept NULL or have a filler in the profile; other unique indexes, checks and foreign keys "
     "must not stand in the way of a marker.",
     false},
    {26, "sink.not_a_database", "the file is no SQLite database", "Check the path in the profile.", false},
};

[[noreturn]] void throwSql(const QSqlError& error, const std::filesystem::path& file, const std::string& statement) {
  bool isNumber = false;
  const int code = error.nativeErrorCode().toInt(&isNumber);
  const std::string said =
      error.databaseText().isEmpty() ? error.text().toStdString() : error.databaseText().toStdString();
  ErrorDetail detail;
  detail.technical = said + (statement.empty() ? "" : "\n" + statement);
  detail.systemCode = error.nativeErrorCode().toStdString();
  const std::string subject = "the database " + file.string();
  if (said.find("no such table: tidemark_") != std::string::npos) {
    detail.hint = "Make the tables that Tidemark keeps in the sink first; the console shows their statements.";
    throw Error("sink.no_schema", subject + ": Tidemark's own tables are missing (" + said + ")", detail);
  }
  if (said.find("no such table") != std::string::npos) {
    detail.hint = "The table was dropped or renamed while it was in use. Put it back, then go on.";
    throw Error("sink.no_table", subject + ": " + said, detail);
  }
  for (const Meaning& meaning : kMeanings) {
    if (!isNumber || (code & 0xff) != meaning.code) continue;
    detail.hint = meaning.hint;
    detail.retryCanHelp = meaning.retryCanHelp;
    throw Error(meaning.error, subject + ": " + meaning.reason + " (" + said + ")", detail);
  }
  detail.hint = "The details show the statement and what SQLite says to it.";
  throw Error("sink.sql", subject + " refuses a statement: " + said, detail);
}

QString uniqueName() {
  static std::atomic<std::uint64_t> next{0};
  return QStringLiteral("tidemark-sqlite-%1").arg(next++);
}

QString toQt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

struct Statement::State {
  QSqlQuery query;
  std::filesystem::path file;
  std::string sql;
  int bound = 0;

  void execute() {
    bound = 0;
    if (!query.exec()) throwSql(query.lastError(), file, sql);
  }
};

Statement::Statement(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Statement::Statement(Statement&&) noexcept = default;
Statement& Statement::operator=(Statement&&) noexcept = default;
Statement::~Statement() = default;

Statement& Statement::integer(std::int64_t value) {
  m_state->query.bindValue(m_state->bound++, QVariant(static_cast<qlonglong>(value)));
  return *this;
}

Statement& Statement::text(std::string_view value) {
  m_state->query.bindValue(m_state->bound++, toQt(value));
  return *this;
}

Statement& Statement::bytes(std::string_view value) {
  m_state->query.bindValue(m_state->bound++, QByteArray(value.data(), static_cast<qsizetype>(value.size())));
  return *this;
}

Statement& Statement::null() {
  m_state->query.bindValue(m_state->bound++, QVariant());
  return *this;
}

std::uint64_t Statement::run() {
  m_state->execute();
  const int changed = m_state->query.numRowsAffected();
  m_state->query.finish();
  return changed > 0 ? static_cast<std::uint64_t>(changed) : 0;
}

Statement& Statement::query() {
  m_state->execute();
  return *this;
}

bool Statement::next() {
  if (m_state->query.next()) return true;
  const QSqlError error = m_state->query.lastError();
  if (error.isValid()) throwSql(error, m_state->file, m_state->sql);
  m_state->query.finish();
  return false;
}

void Statement::finish() {
  m_state->query.finish();
}

bool Statement::isNull(int column) const {
  return m_state->query.isNull(column);
}

bool Statement::isInteger(int column) const {
  return m_state->query.value(column).typeId() == QMetaType::LongLong;
}

bool Statement::isBytes(int column) const {
  return m_state->query.value(column).typeId() == QMetaType::QByteArray;
}

std::int64_t Statement::integerAt(int column) const {
  return m_state->query.value(column).toLongLong();
}

std::string Statement::textAt(int column) const {
  return m_state->query.value(column).toString().toStdString();
}

std::string Statement::bytesAt(int column) const {
  return m_state->query.value(column).toByteArray().toStdString();
}

struct Connection::State {
  QString name;
  QSqlDatabase database;
};

Connection::Connection(std::filesystem::path file, Access access)
    : m_file(std::move(file)), m_state(std::make_unique<State>()) {
  std::error_code ignored;
  if (!std::filesystem::exists(m_file, ignored)) {
    ErrorDetail detail;
    detail.hint = "Check the path in the profile: a file that is not there is never made, it would be an empty sink.";
    throw Error("sink.no_database", "there is no database file " + m_file.string(), detail);
  }
  m_state->name = uniqueName();
  m_state->database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_state->name);
  m_state->database.setDatabaseName(toQt(m_file.string()));
  QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(kBusyMilliseconds);
  if (access == Access::ReadOnly) options += QStringLiteral(";QSQLITE_OPEN_READONLY");
  m_state->database.setConnectOptions(options);
  try {
    if (!m_state->database.open()) throwSql(m_state->database.lastError(), m_file, {});
    if (access == Access::ReadWrite) {
      execute("PRAGMA journal_mode = WAL");
      execute("PRAGMA synchronous = FULL");
    } else {
      execute("PRAGMA query_only = ON");
      execute("SELECT count(*) FROM sqlite_master");
    }
  } catch (...) {
    m_state->database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_state->name);
    throw;
  }
}

Connection::~Connection() {
  m_cached.clear();
  m_state->database.close();
  m_state->database = QSqlDatabase();
  QSqlDatabase::removeDatabase(m_state->name);
}

void Connection::execute(const std::string& sql) {
  QSqlQuery query(m_state->database);
  if (!query.exec(toQt(sql))) throwSql(query.lastError(), m_file, sql);
}

Statement Connection::prepare(const std::string& sql) {
  auto state = std::make_unique<Statement::State>(Statement::State{QSqlQuery(m_state->database), m_file, sql, 0});
  state->query.setForwardOnly(true);
  if (!state->query.prepare(toQt(sql))) throwSql(state->query.lastError(), m_file, sql);
  return Statement(std::move(state));
}

Statement& Connection::cached(const std::string& sql) {
  const auto found = m_cached.find(sql);
  if (found != m_cached.end()) return found->second;
  return m_cached.emplace(sql, prepare(sql)).first->second;
}

Transaction::~Transaction() {
  if (!m_open) return;
  try {
    m_connection.execute("ROLLBACK");
  } catch (const Error&) {
    // SQLite has rolled back by itself after a full disk or a lost file: then there is nothing left to roll back.
  }
}

void Transaction::commit() {
  m_connection.execute("COMMIT");
  m_open = false;
}

}  // namespace tidemark::sqlite
