#include "engine/simulator/sqlite_file.h"

#include <atomic>

#include <QtCore/QVariant>
#include <QtSql/QSqlDatabase>
#include <QtSql/QSqlError>
#include <QtSql/QSqlQuery>

#include "engine/core/error.h"

namespace tidemark::simulator {

namespace {

[[noreturn]] void fail(const std::string& what, const QSqlError& error, const std::string& statement) {
  throw Error("simulator.storage", what + ": " + error.text().toStdString(),
              {.hint = "Check the room and the rights of the simulator's folder.",
               .technical = statement,
               .systemCode = error.nativeErrorCode().toStdString(),
               .retryCanHelp = error.nativeErrorCode() == QStringLiteral("5")});
}

std::string uniqueName() {
  static std::atomic<std::uint64_t> number{0};
  return "simulator-" + std::to_string(++number);
}

}  // namespace

struct SqliteFile::State {
  QString name;
  QSqlDatabase database;
};

struct Statement::State {
  explicit State(const QSqlDatabase& database) : query(database) {}
  QSqlQuery query;
  int bound = 0;
};

SqliteFile::SqliteFile(const std::filesystem::path& file, Access access) : m_state(std::make_unique<State>()) {
  m_state->name = QString::fromStdString(uniqueName());
  m_state->database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_state->name);
  m_state->database.setDatabaseName(QString::fromStdString(file.string()));
  QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000");
  if (access == Access::ReadOnly) options += QStringLiteral(";QSQLITE_OPEN_READONLY");
  m_state->database.setConnectOptions(options);
  if (!m_state->database.open()) {
    const QSqlError error = m_state->database.lastError();
    m_state->database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_state->name);
    fail("the simulator's file " + file.string() + " cannot be opened", error, {});
  }
}

SqliteFile::~SqliteFile() {
  m_state->database.close();
  m_state->database = QSqlDatabase();
  QSqlDatabase::removeDatabase(m_state->name);
}

void SqliteFile::run(const std::string& statement) {
  QSqlQuery query(m_state->database);
  if (!query.exec(QString::fromStdString(statement))) {
    fail("the simulator's storage refused a statement", query.lastError(), statement);
  }
}

Statement::Statement(SqliteFile& file, const std::string& text)
    : m_state(std::make_unique<State>(file.m_state->database)) {
  m_state->query.setForwardOnly(true);
  if (!m_state->query.prepare(QString::fromStdString(text))) {
    fail("the simulator's storage does not understand a statement", m_state->query.lastError(), text);
  }
}

Statement::~Statement() = default;

Statement& Statement::bind(std::int64_t value) {
  m_state->query.bindValue(m_state->bound++, QVariant(static_cast<qlonglong>(value)));
  return *this;
}

Statement& Statement::bind(const std::string& value) {
  m_state->query.bindValue(m_state->bound++, QVariant(QString::fromStdString(value)));
  return *this;
}

Statement& Statement::bind(const std::optional<std::string>& value) {
  if (value) return bind(*value);
  m_state->query.bindValue(m_state->bound++, QVariant(QMetaType::fromType<QString>()));
  return *this;
}

Statement& Statement::execute() {
  m_state->bound = 0;
  if (!m_state->query.exec()) {
    fail("the simulator's storage refused a statement", m_state->query.lastError(),
         m_state->query.lastQuery().toStdString());
  }
  return *this;
}

bool Statement::next() {
  if (m_state->query.next()) return true;
  if (m_state->query.lastError().isValid()) {
    fail("the simulator's storage cannot be read", m_state->query.lastError(),
         m_state->query.lastQuery().toStdString());
  }
  return false;
}

std::int64_t Statement::integer(int column) const {
  return m_state->query.value(column).toLongLong();
}

std::string Statement::text(int column) const {
  return m_state->query.value(column).toString().toStdString();
}

std::optional<std::string> Statement::textOrNull(int column) const {
  if (m_state->query.isNull(column)) return std::nullopt;
  return text(column);
}

WriteTransaction::WriteTransaction(SqliteFile& file) : m_file(file) {
  m_file.run("BEGIN IMMEDIATE");
}

WriteTransaction::~WriteTransaction() {
  if (!m_open) return;
  QSqlQuery query(m_file.m_state->database);
  query.exec(QStringLiteral("ROLLBACK"));
}

void WriteTransaction::commit() {
  m_file.run("COMMIT");
  m_open = false;
}

}  // namespace tidemark::simulator
