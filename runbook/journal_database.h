#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

namespace tidemark::runbook {

/// One SQLite connection of the journal with its own connection name, closed and removed with the object. Belongs to
/// the thread that made it. Private to journal.cpp and journal_lock.cpp.
class JournalDatabase {
 public:
  JournalDatabase(const std::filesystem::path& file, bool readOnly);
  ~JournalDatabase();
  JournalDatabase(const JournalDatabase&) = delete;
  JournalDatabase& operator=(const JournalDatabase&) = delete;

  /// Throws Error "journal.disk_full", "journal.disk", "journal.torn" or "journal.busy".
  QSqlQuery run(const std::string& statement, const std::vector<QVariant>& values = {}) const;
  const std::filesystem::path& file() const { return m_file; }

 private:
  [[noreturn]] void fail(const QSqlError& problem) const;

  std::filesystem::path m_file;
  QString m_name;
};

/// A write transaction: rolled back unless committed.
class JournalTransaction {
 public:
  explicit JournalTransaction(const JournalDatabase& database);
  ~JournalTransaction();
  JournalTransaction(const JournalTransaction&) = delete;
  JournalTransaction& operator=(const JournalTransaction&) = delete;
  void commit();

 private:
  const JournalDatabase& m_database;
  bool m_open = true;
};

}  // namespace tidemark::runbook
