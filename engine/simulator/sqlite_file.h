#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

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

 private:
  friend class Statement;
  friend class WriteTransaction;
  struct State;
  std::unique_ptr<State> m_state;
};

/// A prepared statement with values bound by position. Ends before its connection does.
class Statement {
 public:
  Statement(SqliteFile& file, const std::string& text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

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
  struct State;
  std::unique_ptr<State> m_state;
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
