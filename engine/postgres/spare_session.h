#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "engine/postgres/connection.h"

namespace tidemark::postgres {

/// Keeps one session from stream to stream: opening one costs as much as reading thousands of rows, and a verification
/// reads many small ranges. Thread-safe; shared by whoever makes streams and the streams themselves.
class SpareSession {
 public:
  explicit SpareSession(std::string connectionString) : m_connectionString(std::move(connectionString)) {}

  /// A session in a repeatable-read, read-only transaction: the spare one when there is one that still lives.
  Connection beginRead();
  /// Takes back a session whose stream has ended. Ends its transaction; never throws.
  void giveBack(Connection connection) noexcept;

 private:
  std::string m_connectionString;
  std::mutex m_mutex;
  std::optional<Connection> m_spare;
};

}  // namespace tidemark::postgres
