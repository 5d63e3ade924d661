#pragma once

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>

#include "tests/support/temporary_folder.h"

namespace tidemark::test {

/// An empty SQLite database in a folder of its own, with a connection that shares nothing with the product's.
class SqliteFile {
 public:
  SqliteFile() : m_name("test-" + std::to_string(counter()++)) {
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", QString::fromStdString(m_name));
    database.setDatabaseName(QString::fromStdString(path().string()));
    if (!database.open()) throw std::runtime_error(database.lastError().text().toStdString());
    execute("PRAGMA journal_mode = WAL");
  }
  ~SqliteFile() {
    QSqlDatabase::database(QString::fromStdString(m_name)).close();
    QSqlDatabase::removeDatabase(QString::fromStdString(m_name));
  }
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  std::filesystem::path path() const { return m_folder / "sink.db"; }

  void execute(const std::string& sql) {
    QSqlQuery query(QSqlDatabase::database(QString::fromStdString(m_name)));
    if (!query.exec(QString::fromStdString(sql))) {
      throw std::runtime_error(query.lastError().text().toStdString() + ": " + sql);
    }
  }

  /// First column of every row.
  std::vector<std::string> column(const std::string& sql) {
    QSqlQuery query(QSqlDatabase::database(QString::fromStdString(m_name)));
    if (!query.exec(QString::fromStdString(sql))) throw std::runtime_error(query.lastError().text().toStdString());
    std::vector<std::string> values;
    while (query.next()) values.push_back(query.value(0).toString().toStdString());
    return values;
  }

 private:
  static std::atomic<int>& counter() {
    static std::atomic<int> next{0};
    return next;
  }

  TemporaryFolder m_folder;
  std::string m_name;
};

}  // namespace tidemark::test
