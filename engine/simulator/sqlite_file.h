#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <QtSql/QSqlDatabase>
#include <QtSql/QSqlQuery>

namespace tidemark::simulator {

/// One connection to an SQLite file of the simulator. Belongs to the thread that made it, destructor included.
/// Private to this folder. Every failure is Error "simulator.storage" with SQLite's own message.
class SqliteFile {
 public:
  enum class Access { ReadOnly, ReadWrite };

  SqliteFile(const std::filesystem::path& file, Access access);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  void run(const std::string& statement);
  QSqlDatabase& database() { return m_database; }

 private:
  std::string m_name;
  QSqlDatabase m_database;
};

/// A prepared statement with values bound by position. Ends before its connection does.
class Statement {
 public:
  Statement(SqliteFile& file, const std::string& text);

  Statement& bind(std::int64_t value);
  Statement& bind(const std::string& value);
  Statement& bind(const std::optional<std::string>& value);
  /// Runs it with the values bound since the last run.
  Statement& execute();
  bool next();

  std::int64_t integer(int column) const;
  std::string text(int column) const;
  std::optional<std::string> textOrNull(int column) const;

 private:
  QSqlQuery m_query;
  int m_bound = 0;
};

/// A write transaction: rolled back by the destructor unless it was committed.
class WriteTransaction {
 public:
  explicit WriteTransaction(SqliteFile& file);
  ~WriteTransaction();
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;
  void commit();

 private:
  SqliteFile& m_file;
  bool m_open = true;
};

}  // namespace tidemark::simulator
