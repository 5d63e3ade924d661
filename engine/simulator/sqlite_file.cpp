#include "engine/simulator/sqlite_file.h"

#include <atomic>

#include <QtCore/QVariant>
#include <QtSql/QSqlError>

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

SqliteFile::SqliteFile(const std::filesystem::path& file, Access access) : m_name(uniqueName()) {
  m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QString::fromStdString(m_name));
  m_database.setDatabaseName(QString::fromStdString(file.string()));
  QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000");
  if (access == Access::ReadOnly) options += QStringLiteral(";QSQLITE_OPEN_READONLY");
  m_database.setConnectOptions(options);
  if (!m_database.open()) {
    const QSqlError error = m_database.lastError();
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(QString::fromStdString(m_name));
    fail("the simulator's file " + file.string() + " cannot be opened", error, {});
  }
}

SqliteFile::~SqliteFile() {
  m_database.close();
  m_database = QSqlDatabase();
  QSqlDatabase::removeDatabase(QString::fromStdString(m_name));
}

void SqliteFile::run(const std::string& statement) {
  QSqlQuery query(m_database);
  if (!query.exec(QString::fromStdString(statement))) {
    fail("the simulator's storage refused a statement", query.lastError(), statement);
  }
}

Statement::Statement(SqliteFile& file, const std::string& text) : m_query(file.database()) {
  m_query.setForwardOnly(true);
  if (!m_query.prepare(QString::fromStdString(text))) {
    fail("the simulator's storage does not understand a statement", m_query.lastError(), text);
  }
}

Statement& Statement::bind(std::int64_t value) {
  m_query.bindValue(m_bound++, QVariant(static_cast<qlonglong>(value)));
  return *this;
}

Statement& Statement::bind(const std::string& value) {
  m_query.bindValue(m_bound++, QVariant(QString::fromStdString(value)));
  return *this;
}

Statement& Statement::bind(const std::optional<std::string>& value) {
  if (value) return bind(*value);
  m_query.bindValue(m_bound++, QVariant(QMetaType::fromType<QString>()));
  return *this;
}

Statement& Statement::execute() {
  m_bound = 0;
  if (!m_query.exec()) {
    fail("the simulator's storage refused a statement", m_query.lastError(), m_query.lastQuery().toStdString());
  }
  return *this;
}

bool Statement::next() {
  if (m_query.next()) return true;
  if (m_query.lastError().isValid()) {
    fail("the simulator's storage cannot be read", m_query.lastError(), m_query.lastQuery().toStdString());
  }
  return false;
}

std::int64_t Statement::integer(int column) const {
  return m_query.value(column).toLongLong();
}

std::string Statement::text(int column) const {
  return m_query.value(column).toString().toStdString();
}

std::optional<std::string> Statement::textOrNull(int column) const {
  if (m_query.isNull(column)) return std::nullopt;
  return text(column);
}

WriteTransaction::WriteTransaction(SqliteFile& file) : m_file(file) {
  m_file.run("BEGIN IMMEDIATE");
}

WriteTransaction::~WriteTransaction() {
  if (!m_open) return;
  QSqlQuery query(m_file.database());
  query.exec(QStringLiteral("ROLLBACK"));
}

void WriteTransaction::commit() {
  m_file.run("COMMIT");
  m_open = false;
}

}  // namespace tidemark::simulator
