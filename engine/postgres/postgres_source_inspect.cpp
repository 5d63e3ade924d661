#include "engine/postgres/postgres_source_inspect.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/postgres/catalogue.h"
#include "engine/postgres/postgres_boundary.h"
#include "engine/postgres/postgres_source_sql.h"
#include "engine/postgres/session_probe.h"

namespace tidemark::postgres {

namespace {

/// A requirement: passes, or fails with a hint and without a way around it.
Finding requirement(const char* id, const char* title, bool met, std::string measured, const char* source,
                    const char* hint) {
  return {id, title, met ? Severity::Pass : Severity::Failure, std::move(measured), {}, source, met ? "" : hint, false};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> sourceNames(const std::vector<ColumnPair>& pairs) {
  std::vector<std::string> names;
  for (const ColumnPair& pair : pairs) names.push_back(pair.source);
  return names;
}

const CatalogueColumn* findColumn(const CatalogueTable& table, const std::string& name) {
  const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                               [&](const CatalogueColumn& column) { return column.name == name; });
  return at == table.columns.end() ? nullptr : &*at;
}

void inspectKey(const CatalogueTable& table, const TableMapping& mapping, std::vector<Finding>& findings) {
  findings.push_back(requirement("source.primary_key", "The table has a primary key", table.hasPrimaryKey,
                                 table.hasPrimaryKey ? joined(table.key) : "none", "pg_index",
                                 "Without a primary key a row cannot be told from another: add one at the source."));
  if (!table.hasPrimaryKey) return;
  findings.push_back(requirement("source.key_matches", "The mapping names the primary key in its order",
                                 sourceNames(mapping.key) == table.key, joined(sourceNames(mapping.key)), "pg_index",
                                 "Map exactly the columns of the primary key, in its order."));
  findings.push_back(requirement("source.key_deferrable", "The primary key is not deferrable", !table.keyDeferrable,
                                 table.keyDeferrable ? "deferrable" : "not deferrable", "pg_index",
                                 "Under a deferrable key two changes of one key need not be in the order of their "
                                 "positions, so the newer one could "
                                 "be taken for the older: make the key NOT DEFERRABLE."));
  std::vector<std::string> nullable;
  for (const std::string& name : table.key)
    if (findColumn(table, name)->nullable) nullable.push_back(name);
  findings.push_back(requirement("source.key_not_null", "Key columns are NOT NULL", nullable.empty(),
                                 nullable.empty() ? "NOT NULL" : joined(nullable), "pg_attribute",
                                 "A key that can be NULL equals nothing, itself included: make the columns NOT NULL."));
}

/// Both sides must agree which keys are equal and which comes first.
Finding keyTypes(const CatalogueTable& table, const TableMapping& mapping) {
  std::vector<std::string> unfit;
  for (const ColumnPair& pair : mapping.key) {
    const CatalogueColumn* column = findColumn(table, pair.source);
    if (pair.type.kind == ColumnKind::Json || pair.type.kind == ColumnKind::Jsonb)
      unfit.push_back(pair.source + " is " + pair.type.declared);
    else if (column != nullptr && !column->equalsByBytes)
      unfit.push_back(pair.source + " has a collation that takes different texts for equal");
  }
  return requirement("source.key_types", "Keys have one order and one equality on both sides", unfit.empty(),
                     unfit.empty() ? "ordered" : joined(unfit), "pg_attribute, pg_collation",
                     "Such keys cannot be listed and swept exactly: use a key of integers, text under an ordinary "
                     "collation, uuid or dates.");
}

/// Texts are exact only under the session's settings, which a transaction pooler loses.
Finding directSession(Connection& connection) {
  const SessionProbe probe = probeSession(connection);
  return requirement(
      "source.pooler", "The session is not shared by a pooler", !probe.shared, probe.measured, "pg_backend_pid()",
      "Connect past the pooler, or to a pool in session mode: a session's settings, on which exact texts "
      "depend, get lost behind this one.");
}

void inspectColumns(const CatalogueTable& table, const TableMapping& mapping, std::vector<Finding>& findings) {
  std::vector<std::string> missing, changed, unsupported;
  for (const auto* pairs : {&mapping.key, &mapping.payload}) {
    for (const ColumnPair& pair : *pairs) {
      const CatalogueColumn* column = findColumn(table, pair.source);
      if (column == nullptr) {
        missing.push_back(pair.source);
        continue;
      }
      try {
        if (columnTypeOf(column->declared, column->name).kind != pair.type.kind)
          changed.push_back(column->name + " is " + column->declared);
      } catch (const Error&) {
        unsupported.push_back(column->name + " " + column->declared);
      }
    }
  }
  findings.push_back(requirement("source.columns", "Every mapped column exists", missing.empty(),
                                 missing.empty() ? "all" : "missing: " + joined(missing), "pg_attribute",
                                 "Correct the names in the mapping, or take the columns out of it."));
  findings.push_back(requirement("source.types", "Every mapped column has a type that is carried", unsupported.empty(),
                                 unsupported.empty() ? "all" : "not carried: " + joined(unsupported), "pg_attribute",
                                 "Leave these columns out of the mapping: their values cannot be compared exactly."));
  findings.push_back(requirement("source.types_match", "Column types are those of the mapping", changed.empty(),
                                 changed.empty() ? "all" : joined(changed), "pg_attribute",
                                 "The table was altered since the mapping was made: make the mapping again."));
}

void inspectRights(Connection& connection, const CatalogueTable& table, std::vector<Finding>& findings) {
  const Result rights = connection.exec(sql::kReadingRights, {table.oid});
  const bool hidden = rights.truth(0, 0);
  const bool select = rights.truth(0, 1);
  const bool usage = rights.truth(0, 2);
  findings.push_back(requirement("source.row_security", "No policy hides rows from this role", !hidden,
                                 hidden ? "row security is active for " + rights.text(0, 3) : "not active",
                                 "row_security_active()",
                                 "Rows that a policy hides would be taken for deleted and swept: read as the table's "
                                 "owner without FORCE ROW LEVEL "
                                 "SECURITY, or as a role with BYPASSRLS."));
  findings.push_back(requirement(
      "source.rights", "The role may read the table", select && usage,
      std::string(select ? "SELECT" : "no SELECT") + (usage ? ", USAGE of the schema" : ", no USAGE of the schema"),
      "has_table_privilege()",
      "Grant SELECT on the whole table (the lock needs it, columns alone do not do) and USAGE on "
      "its schema."));
}

Finding replicaIdentity(const CatalogueTable& table) {
  Finding finding{
      "source.replica_identity", "Changes are published with their key", Severity::Pass, {}, {}, "pg_class", {}, false};
  switch (table.replicaIdentity) {
    case 'd':
      finding.measured = "default (primary key)";
      break;
    case 'f':
      finding.measured = "full";
      break;
    case 'i':
      finding.measured = table.identityIsPrimaryKey ? "index (primary key)" : "another index";
      if (!table.identityIsPrimaryKey) finding.severity = Severity::Warning;
      break;
    default:
      finding.measured = "nothing";
      finding.severity = Severity::Warning;
  }
  if (finding.severity == Severity::Warning) {
    finding.hint =
        "Deletes and key changes reach the stream without the primary key: ALTER TABLE … REPLICA IDENTITY DEFAULT.";
    finding.waivable = true;
  }
  return finding;
}

std::string bytes(std::int64_t count) {
  if (count < 10LL * 1024 * 1024) return std::to_string(count) + " bytes";
  return std::to_string(count / (1024 * 1024)) + " MiB";
}

Finding walStatus(const std::string& status) {
  Finding finding{"log.wal_status",
                  "The slot's log is kept",
                  Severity::Pass,
                  status,
                  "reserved",
                  "pg_replication_slots",
                  {},
                  false};
  if (status == "reserved") return finding;
  if (status == "extended") {
    finding.severity = Severity::Warning;
    finding.hint = "The slot keeps more log than max_wal_size: let the consumer catch up before a load adds to it.";
    finding.waivable = true;
  } else if (status.empty()) {
    finding.severity = Severity::Unknown;
    finding.measured = "not told";
    finding.hint = "This server does not tell, or the slot has never been used.";
  } else {
    finding.severity = Severity::Failure;
    finding.hint = status == "lost"
                       ? "Log that the slot needs is gone: changes are lost. Make a new slot and load anew."
                       : "The slot is about to lose its log: raise max_slot_wal_keep_size or wait.";
  }
  return finding;
}

Finding retained(std::int64_t kept, std::int64_t limit) {
  Finding finding{"log.retained",
                  "Log kept for the slot",
                  Severity::Pass,
                  bytes(kept),
                  limit < 0 ? "no limit (max_slot_wal_keep_size = -1)" : bytes(limit),
                  "pg_replication_slots",
                  {},
                  false};
  if (kept < 0) {
    finding.severity = Severity::Unknown;
    finding.measured = "not told";
    finding.hint = "The slot has no restart_lsn: it was never used, or it lost its log.";
  } else if (limit >= 0 && kept > limit / 2) {
    finding.severity = kept > limit / 10 * 9 ? Severity::Failure : Severity::Warning;
    finding.hint = "A load adds to it: let the consumer catch up, or raise max_slot_wal_keep_size.";
    finding.waivable = finding.severity == Severity::Warning;
  }
  return finding;
}

void inspectSlot(Connection& connection, const std::string& slot, std::int64_t limit, std::vector<Finding>& findings) {
  const Result state = connection.exec(sql::kSlotState, {slot});
  const bool logical = !state.empty() && state.text(0, 0) == "logical" && state.truth(0, 7);
  findings.push_back(requirement(
      "log.slot", "The stream's replication slot exists", logical,
      state.empty() ? "no slot " + slot : slot + (logical ? "" : " is no logical slot of this database"),
      "pg_replication_slots", "Check the slot's name in the profile; without it changes are not kept for the stream."));
  if (!logical) return;
  const bool active = state.truth(0, 1);
  findings.push_back({"log.slot_active",
                      "Somebody reads the slot",
                      active ? Severity::Pass : Severity::Warning,
                      active ? "active" : "nobody reads it",
                      {},
                      "pg_replication_slots",
                      active ? "" : "Start the connector, or log will pile up and nothing will drain.",
                      true});
  findings.push_back(walStatus(state.text(0, 4)));
  findings.push_back({"log.restart_lsn",
                      "A replay from the slot reaches back to",
                      Severity::Pass,
                      state.text(0, 2) + " (confirmed " + state.text(0, 3) + ")",
                      {},
                      "pg_replication_slots",
                      {},
                      false});
  const std::string& safe = state.text(0, 5);
  findings.push_back({"log.safe_wal_size",
                      "Log that can still be written before the slot loses its own",
                      Severity::Pass,
                      safe.empty() ? "no limit" : bytes(std::stoll(safe)),
                      {},
                      "pg_replication_slots",
                      {},
                      false});
  if (!safe.empty() && std::stoll(safe) <= 0) {
    findings.back().severity = Severity::Failure;
    findings.back().hint = "Raise max_slot_wal_keep_size, or let the consumer catch up first.";
  }
  findings.push_back(retained(state.number(0, 6), limit));
}

Finding preparedTransactions(Connection& connection) {
  const Result rows = connection.exec(sql::kPreparedTransactions);
  Finding finding{"log.prepared", "Prepared transactions", Severity::Pass, "none", "none", "pg_prepared_xacts", {},
                  false};
  if (rows.empty()) return finding;
  std::vector<std::string> names;
  for (std::size_t row = 0; row < rows.rows.size(); ++row)
    names.push_back("'" + rows.text(row, 0) + "' of " + rows.text(row, 1) + " in " + rows.text(row, 2) + ", " +
                    rows.text(row, 3) + " s old");
  finding.severity = Severity::Warning;
  finding.measured = joined(names);
  finding.hint = "The boundary waits for every one of them: COMMIT PREPARED or ROLLBACK PREPARED.";
  finding.waivable = true;
  return finding;
}

Finding oldestTransaction(Connection& connection) {
  constexpr std::int64_t kLongSeconds = 300;
  const Result rows = connection.exec(sql::kOldestTransaction);
  Finding finding{"log.oldest_transaction",
                  "Oldest open transaction",
                  Severity::Pass,
                  "none",
                  "300 s",
                  "pg_stat_activity",
                  {},
                  true};
  if (rows.empty()) return finding;
  const std::int64_t age = rows.number(0, 4);
  finding.measured = std::to_string(age) + " s: process " + rows.text(0, 0) + " of " + rows.text(0, 1) + " (" +
                     rows.text(0, 2) + "), " + rows.text(0, 3);
  if (age > kLongSeconds) {
    finding.severity = Severity::Warning;
    finding.hint = "If it has written anything, the boundary waits for its end.";
  }
  return finding;
}

}  // namespace

std::vector<Finding> inspectSource(Connection& connection, const TableMapping& mapping) {
  std::vector<Finding> findings;
  const ServerLife life = serverLife(connection);
  findings.push_back(requirement("source.primary_server", "The source is a primary", !life.standby,
                                 life.standby ? "standby" : "primary", "pg_is_in_recovery()",
                                 "A standby cannot tell which transactions are still open: name the primary."));
  findings.push_back(directSession(connection));
  const std::optional<CatalogueTable> table = findTable(connection, mapping.source);
  const bool isTable = table && (table->kind == 'r' || table->kind == 'p');
  findings.push_back(requirement("source.table", "The table exists", isTable,
                                 !table    ? "no table " + mapping.source.display()
                                 : isTable ? mapping.source.display()
                                           : mapping.source.display() + " is not a table",
                                 "pg_class", "Check schema, name and database."));
  if (!isTable) return findings;
  inspectKey(*table, mapping, findings);
  if (table->hasPrimaryKey) findings.push_back(keyTypes(*table, mapping));
  inspectColumns(*table, mapping, findings);
  inspectRights(connection, *table, findings);
  findings.push_back(requirement("source.logged", "The table's changes are in the log", table->persistence == 'p',
                                 table->persistence == 'p' ? "logged" : "unlogged or temporary", "pg_class",
                                 "Changes of this table never reach the stream: ALTER TABLE … SET LOGGED."));
  findings.push_back(requirement("source.inheritance", "No other table inherits from it", !table->hasInheritedTables,
                                 table->hasInheritedTables ? "inherited" : "not inherited", "pg_inherits",
                                 "Keys are not unique over a table and its children: load each of them by itself."));
  findings.push_back(replicaIdentity(*table));
  return findings;
}

std::vector<Finding> inspectSourceLog(Connection& connection, const std::string& slot) {
  std::vector<Finding> findings;
  const Result settings = connection.exec(sql::kLogSettings);
  const bool logical = settings.text(0, 0) == "logical";
  findings.push_back({"log.wal_level", "The log holds what a stream needs",
                      logical        ? Severity::Pass
                      : slot.empty() ? Severity::Warning
                                     : Severity::Failure,
                      settings.text(0, 0), "logical", "pg_settings",
                      logical ? "" : "Set wal_level = logical and restart the server.", false});
  if (slot.empty())
    findings.push_back({"log.slot",
                        "The stream's replication slot exists",
                        Severity::Warning,
                        "the profile names none",
                        {},
                        "profile",
                        "How long the log is kept for the stream cannot be told without its slot.",
                        false});
  else
    inspectSlot(connection, slot, settings.number(0, 1), findings);
  findings.push_back(preparedTransactions(connection));
  findings.push_back(oldestTransaction(connection));
  return findings;
}

}  // namespace tidemark::postgres
