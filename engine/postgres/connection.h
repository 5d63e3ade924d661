#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::postgres {

/// One value in the server's text form, or SQL NULL.
using Value = std::optional<std::string>;
/// Bound parameters in the order of $1, $2, …: always text, the server casts.
using Parameters = std::vector<Value>;

/// A query's rows, all in memory: for catalogue questions, counts and single keys. Tables are read with CopyOut.
struct Result {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  std::uint64_t affected = 0;  ///< Rows that the statement inserted, updated, deleted or returned.

  bool empty() const { return rows.empty(); }
  /// The value as text; empty for NULL.
  const std::string& text(std::size_t row, std::size_t column) const;
  bool isNull(std::size_t row, std::size_t column) const { return !rows.at(row).at(column).has_value(); }
  /// Decimal text as a number; 0 for NULL.
  std::int64_t number(std::size_t row, std::size_t column) const;
  /// "t" is true; NULL and everything else false.
  bool truth(std::size_t row, std::size_t column) const { return text(row, column) == "t"; }
};

enum class Isolation { ReadCommitted, RepeatableRead, Serializable };
enum class Access { ReadWrite, ReadOnly };

class CopyIn;
class CopyOut;
class StopScope;

/// One session with a PostgreSQL server: the only file of Tidemark that talks to the client library. It stands on
/// libpq alone, not on libpqxx: COPY rows, cancelling and the SQLSTATE of a refused log-in are within its plain
/// interface, which is the same from PostgreSQL 10 to 18, where libpqxx 6.4 and 7.x differ.
///
/// The session is fixed: UTC, ISO dates, hex bytea, shortest exact floats, UTF-8, standard strings, empty search_path
/// (names are written out, see postgres_sql.h), row_security off (a policy raises an error instead of hiding rows),
/// read committed, application name "tidemark", lock_timeout 60 s, idle_in_transaction_session_timeout 10 min, no
/// statement time-out.
///
/// Belongs to one thread at a time; cancel() may be called from any. Every function throws Error with the SQLSTATE in
/// `detail().systemCode`, or Cancelled when a StopScope's token was triggered. No message ever holds a password.
/// Codes: "postgres.connection_string", "postgres.unreachable", "postgres.wrong_password", "postgres.no_database",
/// "postgres.refused" (other log-in errors), "postgres.lost", "postgres.permission", "postgres.row_security",
/// "postgres.no_table", "postgres.lock_timeout", "postgres.conflict" (deadlock, serialization), "postgres.disk_full",
/// "postgres.in_doubt" (a commit whose answer was lost), "postgres.rolled_back" (a commit that the server turned
/// down), "postgres.statement" (anything else).
class Connection {
 public:
  /// `connectionString` in either form of libpq; services and password files work. Waits at most 15 s.
  explicit Connection(std::string connectionString, std::stop_token stop = {});
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  /// Runs one statement with bound parameters.
  Result exec(const std::string& sql, const Parameters& parameters = {});
  /// Runs several statements in one message without parameters, in one implicit transaction unless one is open.
  void execScript(const std::string& sql);
  /// The first column of the only row. Throws Error "postgres.statement" when there is not exactly one row.
  Value scalar(const std::string& sql, const Parameters& parameters = {});

  void begin(Isolation isolation = Isolation::ReadCommitted, Access access = Access::ReadWrite);
  /// When the answer is lost, throws Error "postgres.in_doubt" with `inDoubt` set.
  void commit();
  /// Never throws: a lost session has rolled back, too.
  void rollback() noexcept;
  bool inTransaction() const;

  /// Starts COPY … FROM STDIN or COPY … TO STDOUT (text format). One at a time; nothing else runs meanwhile.
  CopyIn copyIn(const std::string& sql);
  CopyOut copyOut(const std::string& sql);

  /// Asks the server to cancel what is running. Any thread; may block for a network round trip; never throws.
  void cancel() const noexcept;
  /// While the scope lives, a stop request ends the running statement, which then throws Cancelled.
  StopScope stopScope(std::stop_token stop);

  int serverVersion() const;  ///< 150018 for 15.18.
  bool alive() const;         ///< As far as the client knows.
  int backendPid() const;
  /// "shop on 127.0.0.1:5432 as reader". Never holds a secret.
  std::string describe() const;
  /// "15.18", as the server names itself.
  std::string serverVersionName() const;
  const std::string& connectionString() const;

  struct State;

 private:
  friend class CopyIn;
  friend class CopyOut;
  std::unique_ptr<State> m_state;
};

/// Writes rows of COPY … FROM STDIN. Destroyed without finish(): the server discards the rows.
class CopyIn {
 public:
  ~CopyIn();
  CopyIn(CopyIn&&) noexcept;
  CopyIn& operator=(CopyIn&&) = delete;

  /// Adds text in COPY format: any number of complete or partial lines, each ended by '\n' (see
  /// engine/core/copy_text.h).
  void write(std::string_view text);
  /// Ends the COPY and returns the number of rows.
  std::uint64_t finish();

 private:
  friend class Connection;
  explicit CopyIn(Connection::State& state) : m_state(&state) {}
  void flush();
  Connection::State* m_state;
  std::string m_buffer;
};

/// Reads rows of COPY … TO STDOUT, one at a time in constant memory. Destroyed before the end: the statement is
/// cancelled and drained, and the transaction it ran in is to be rolled back.
class CopyOut {
 public:
  ~CopyOut();
  CopyOut(CopyOut&&) noexcept;
  CopyOut& operator=(CopyOut&&) = delete;

  /// The next row without its line end, valid until the next call; false at the end.
  bool next(std::string_view& line);

 private:
  friend class Connection;
  explicit CopyOut(Connection::State& state) : m_state(&state) {}
  void release();
  Connection::State* m_state;
  char* m_line = nullptr;
};

/// See Connection::stopScope(). Must not outlive the connection; scopes do not nest.
class StopScope {
 public:
  ~StopScope();
  StopScope(StopScope&&) noexcept;
  StopScope& operator=(StopScope&&) = delete;

 private:
  friend class Connection;
  struct Link;
  explicit StopScope(std::unique_ptr<Link> link);
  std::unique_ptr<Link> m_link;
};

}  // namespace tidemark::postgres
