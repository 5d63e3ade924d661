#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace tidemark::sqlite {

/// A prepared statement. Values are bound from left to right and read by column. Belongs to its connection's thread
/// and must not outlive the connection. Every function throws Error as SqliteConnection documents.
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  Statement& integer(std::int64_t value);
  Statement& text(std::string_view value);
  Statement& bytes(std::string_view value);
  Statement& null();

  /// Executes a statement that returns no rows with what was bound, and says how many rows it changed.
  std::uint64_t run();
  /// Executes a query; next() moves to its first row.
  Statement& query();
  bool next();
  /// Ends a query before its last row: until then it holds its read snapshot.
  void finish();

  bool isNull(int column) const;
  bool isInteger(int column) const;
  bool isBytes(int column) const;
  std::int64_t integerAt(int column) const;
  std::string textAt(int column) const;   ///< Integers in decimal digits.
  std::string bytesAt(int column) const;  ///< As stored, blobs too.

 private:
  friend class Connection;
  struct State;
  explicit Statement(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

enum class Access { ReadOnly, ReadWrite };

/// One connection to a database file. Belongs to the thread that made it. Throws Error: "sink.no_database",
/// "sink.not_a_database", "sink.busy" (a retry can help), "sink.read_only", "sink.disk_full", "sink.no_table",
/// "sink.constraint", and "sink.sql" for everything else, each with SQLite's result code and message.
class Connection {
 public:
  /// Opens an existing file. ReadWrite switches to write-ahead logging and full synchronisation.
  Connection(std::filesystem::path file, Access access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const std::string& sql);
  Statement prepare(const std::string& sql);
  /// The same statement again for the same text: prepared once. Never for one that is still being read.
  Statement& cached(const std::string& sql);
  /// Forgets the cached statements: they hold tables that are about to be dropped.
  void forgetCached() { m_cached.clear(); }

  const std::filesystem::path& file() const { return m_file; }

 private:
  struct State;
  std::filesystem::path m_file;
  std::unique_ptr<State> m_state;
  std::map<std::string, Statement> m_cached;
};

/// BEGIN IMMEDIATE until commit(); rolled back otherwise.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : m_connection(connection) { m_connection.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& m_connection;
  bool m_open = true;
};

}  // namespace tidemark::sqlite
