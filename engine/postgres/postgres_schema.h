#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/core/error.h"
#include "engine/postgres/connection.h"

namespace tidemark::postgres {

/// What the console keeps beside the sink's tables. All functions throw Error; those that need the tidemark schema
/// throw "sink.no_schema" when it is not there.

/// Statements for what is missing; empty when everything is there.
std::vector<std::string> missingSchemaStatements(Connection& connection);
/// Makes what is missing. Needs rights only when something is.
void makeSchema(Connection& connection);
bool schemaIsThere(Connection& connection);

/// Runs a statement on the tidemark schema.
Result execInSchema(Connection& connection, const std::string& sql, const Parameters& parameters);

std::optional<Lineage> readLineage(Connection& connection, const TableMapping& mapping);
/// Keys to be read again, each with the highest position that it is noted for.
using NotedKeys = std::map<Key, Position>;
/// Notes keys as to be read again; within the caller's transaction if there is one.
void noteKeys(Connection& connection, const TableMapping& mapping, const NotedKeys& keys, const std::string& reason);

/// Takes keys off that list that were noted at or below `readAt`.
void clearKeys(Connection& connection, const TableMapping& mapping, std::span<const Key> keys, const Position& readAt);

/// The lock on a sink table: a row that names the holder, and an advisory lock of the holder's session, so that a
/// holder that died is told from one that works.
class TableLocks {
 public:
  explicit TableLocks(Connection& connection) : m_connection(connection) {}

  void take(const TableMapping& mapping, const LockHolder& holder);
  void release(const TableMapping& mapping, const std::string& runId);
  std::optional<LockHolder> holder(const TableMapping& mapping);
  /// Throws Error "sink.lock_alive" when the holder's session is still there.
  void breakLock(const TableMapping& mapping);

 private:
  bool tryAdvisory(const TableMapping& mapping);
  void releaseAdvisory(const TableMapping& mapping);

  Connection& m_connection;
  std::set<std::string> m_held;  ///< Tables whose advisory lock this session has.
};

}  // namespace tidemark::postgres
