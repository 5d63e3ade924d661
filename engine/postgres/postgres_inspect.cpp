#include "engine/postgres/postgres_inspect.h"

#include <algorithm>
#include <set>

#include "engine/core/error.h"
#include "engine/postgres/array_text.h"
#include "engine/postgres/postgres_inspect_columns.h"
#include "engine/postgres/postgres_inspect_sql.h"
#include "engine/postgres/postgres_reads.h"
#include "engine/postgres/postgres_sql.h"
#include "engine/postgres/session_probe.h"

namespace tidemark::postgres {

namespace {

Finding finding(std::string id, std::string title, std::string source) {
  Finding result;
  result.id = std::move(id);
  result.title = std::move(title);
  result.severity = Severity::Pass;
  result.source = std::move(source);
  return result;
}

Finding inspectStandby(Connection& connection) {
  Finding result = finding("sink.standby", "The sink is a primary", "pg_is_in_recovery");
  const bool standby = connection.scalar("SELECT pg_is_in_recovery()") == "t";
  result.measured = standby ? "a standby, which takes no writes" : "a primary";
  if (standby) {
    result.severity = Severity::Failure;
    result.hint = "Connect to the primary of this server.";
  }
  return result;
}

/// Staging tables and locks would get lost behind a transaction pooler.
Finding inspectPooler(Connection& connection) {
  Finding result = finding("sink.pooler", "The session is not shared by a pooler", "pg_backend_pid");
  const SessionProbe probe = probeSession(connection);
  result.measured = probe.measured;
  if (!probe.shared) return result;
  result.severity = Severity::Failure;
  result.hint =
      "Connect past the pooler, or to a pool in session mode: temporary tables and locks belong to a session.";
  return result;
}

Finding inspectTable(const TableMapping& mapping, const Result& table) {
  Finding result = finding("sink.table", "The sink is an ordinary table", "pg_class");
  if (table.empty()) {
    result.severity = Severity::Failure;
    result.measured = "no table " + mapping.sink.display();
    result.hint = "Check schema and name of the sink table, the database, and the role's rights.";
    return result;
  }
  const std::string& kind = table.text(0, 1);
  result.measured = mapping.sink.display();
  if (kind != "r") {
    result.severity = Severity::Failure;
    result.measured += kind == "p" ? " is partitioned" : " is a view or a foreign table";
    result.hint = "Only ordinary tables can be written by the guard in this version.";
  } else if (table.text(0, 2) == "u") {
    result.severity = Severity::Warning;
    result.waivable = true;
    result.measured += " is unlogged";
    result.hint = "A crash of the server empties it. ALTER TABLE … SET LOGGED makes it last.";
  }
  return result;
}

Finding inspectKey(const TableMapping& mapping, const Result& key) {
  Finding result = finding("sink.primary_key", "The primary key is the source's", "pg_index");
  std::set<std::string> wanted;
  for (const ColumnPair& pair : mapping.key) {
    wanted.insert(pair.sink);
    result.limit += (result.limit.empty() ? "" : ", ") + pair.sink;
  }
  if (key.isNull(0, 0)) {
    result.severity = Severity::Failure;
    result.measured = "no primary key";
    result.hint = "The guard needs one row a key: ALTER TABLE … ADD PRIMARY KEY (" + result.limit + ").";
    return result;
  }
  std::set<std::string> found;
  for (const Cell& column : readArray(key.text(0, 0))) {
    found.insert(column.text);
    result.measured += (result.measured.empty() ? "" : ", ") + column.text;
  }
  if (found != wanted) {
    result.severity = Severity::Failure;
    result.hint = "Give the sink table the primary key of the source.";
  } else if (!key.truth(0, 1)) {
    result.severity = Severity::Failure;
    result.measured += " (deferrable)";
    result.hint = "A deferrable key cannot arbitrate between two writers: make it NOT DEFERRABLE.";
  }
  return result;
}

Finding inspectNames(std::string id, std::string title, const std::string& source, const Value& names,
                     const std::string& hint) {
  Finding result = finding(std::move(id), std::move(title), source);
  result.measured = names.value_or("none");
  if (names) {
    result.severity = Severity::Warning;
    result.waivable = true;
    result.hint = hint;
  }
  return result;
}

Finding inspectTriggers(Connection& connection, const Parameters& oid) {
  Finding result = inspectNames("sink.triggers", "No triggers", "pg_trigger", connection.scalar(sql::kTriggers, oid),
                                "They fire for every loaded row and every marker: check what they write and send.");
  const Value rules = connection.scalar(sql::kRules, oid);
  if (rules) {
    result.severity = Severity::Failure;
    result.waivable = false;
    result.measured = "rules: " + *rules;
    result.hint = "The server refuses guarded writes on a table with rules: drop them.";
  }
  return result;
}

Finding inspectRowSecurity(const Result& table) {
  Finding result = finding("sink.row_security", "Row security hides nothing", "row_security_active");
  if (table.truth(0, 4)) {
    result.severity = Severity::Failure;
    result.measured = "policies apply to this role";
    result.hint =
        "Hidden rows would look missing, and the sweep could not see them: use the table's owner without "
        "FORCE, or a role with BYPASSRLS.";
  } else {
    result.measured = table.truth(0, 3) ? "enabled, but not for this role" : "not enabled";
  }
  return result;
}

Finding inspectRights(Connection& connection, const Parameters& oid) {
  Finding result = finding("sink.rights", "The role has the rights that a run needs", "has_table_privilege");
  const Value missing = connection.scalar(sql::kMissingRights, oid);
  result.measured = missing ? "missing: " + *missing : "complete";
  if (missing) {
    result.severity = Severity::Failure;
    result.hint = "Grant what is missing. An audit needs SELECT alone.";
  }
  return result;
}

Finding inspectRoom(Connection& connection, const std::string& tableSize) {
  Finding result = finding("sink.room", "Room on the sink's disk", "pg_database_size");
  try {
    const Value database = connection.scalar("SELECT pg_size_pretty(pg_database_size(current_database()))");
    result.measured =
        "table " + tableSize + ", database " + database.value_or("?") + "; the server does not tell how much is free";
    result.hint = "Look at the server's disk: a load may need the table's size again, and as much log.";
  } catch (const Error& error) {
    result.severity = Severity::Unknown;
    result.measured = error.what();
    result.hint = "Let an administrator look at the server's disk.";
  }
  return result;
}

}  // namespace

std::vector<Finding> inspectSink(Connection& connection, const TableMapping& mapping, const Scope& scope) {
  std::vector<Finding> findings{inspectStandby(connection), inspectPooler(connection)};
  const Result table = connection.exec(sql::kSinkTable, {schemaOf(mapping.sink), mapping.sink.name});
  findings.push_back(inspectTable(mapping, table));
  if (table.empty()) return findings;
  const Parameters oid{table.text(0, 0)};
  {
    const ReadTransaction transaction(connection);
    findings.push_back(inspectKey(mapping, connection.exec(sql::kSinkKey, oid)));
    const SinkColumns columns(connection.exec(sql::kSinkColumns, oid));
    for (Finding& found : inspectColumns(mapping, columns)) findings.push_back(std::move(found));
    findings.push_back(inspectNames("sink.unique_indexes", "No further unique indexes", "pg_index",
                                    connection.scalar(sql::kOtherUniqueIndexes, oid),
                                    "Rows arrive in another order than at the source: two of them may hold one value "
                                    "for a while, and the write fails."));
    findings.push_back(inspectNames("sink.foreign_keys", "No foreign keys", "pg_constraint",
                                    connection.scalar(sql::kForeignKeys, oid),
                                    "Rows of several tables arrive in no common order, and markers stay: a reference "
                                    "may be refused."));
    findings.push_back(inspectTriggers(connection, oid));
    findings.push_back(inspectRowSecurity(table));
    findings.push_back(inspectRights(connection, oid));
  }
  findings.push_back(inspectRoom(connection, table.text(0, 5)));
  if (!scope.sinkFilter.empty()) PostgresReads(connection).checkFilter(mapping, scope.sinkFilter);
  return findings;
}

}  // namespace tidemark::postgres
