#include "engine/postgres/postgres_apply_sql.h"

#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

// The staging table has no index, so reading it is sequential all the same. Without jit = off the price that
// enable_seqscan puts on it would have every statement compiled.
const char* const kPinPlan =
    "SET LOCAL enable_seqscan TO off; SET LOCAL enable_bitmapscan TO off; SET LOCAL enable_mergejoin TO off; "
    "SET LOCAL jit TO off";

const char* const kNoHashJoin = "SET LOCAL enable_hashjoin TO off";
const char* const kHashJoin = "SET LOCAL enable_hashjoin TO on";

namespace {

std::string numbered(const char* prefix, std::size_t index) {
  return prefix + std::to_string(index + 1);
}

/// "s.k1, s.k2" for `count` columns with a prefix.
std::string numberedList(const std::string& alias, const char* prefix, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i > 0 ? ", " : "") + alias + "." + numbered(prefix, i);
  return list;
}

std::string positionRow(const std::string& alias, const TableMapping& mapping) {
  return "(" + numberedList(alias, "p", positionColumnsOf(mapping).size()) + ")";
}

std::string sinkPositionRow(const std::string& alias, const TableMapping& mapping) {
  std::string list;
  for (const PositionColumn& column : positionColumnsOf(mapping)) {
    list += (list.empty() ? "(" : ", ") + alias + "." + quoteIdentifier(column.name);
  }
  return list + ")";
}

/// "s.k1 = t."id" AND …"; `right` names a relation with the sink's own key columns.
std::string keyEqualsSink(const TableMapping& mapping, const std::string& left, const std::string& right) {
  std::string condition;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    condition +=
        (i > 0 ? " AND " : "") + columnOf(mapping.key[i], Side::Sink, right) + " = " + left + "." + numbered("k", i);
  }
  return condition;
}

std::string keyEqualsStaged(const TableMapping& mapping, const std::string& left, const std::string& right) {
  std::string condition;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    condition += (i > 0 ? " AND " : "") + left + "." + numbered("k", i) + " = " + right + "." + numbered("k", i);
  }
  return condition;
}

/// The stored row of each staged row `s` as `t`: found, p1, p2, …. LIMIT 1 keeps it one index look-up a row.
std::string storedRow(const TableMapping& mapping) {
  std::string columns;
  const auto positions = positionColumnsOf(mapping);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    columns += ", sink." + quoteIdentifier(positions[i].name) + " AS " + numbered("p", i);
  }
  return "LEFT JOIN LATERAL (SELECT TRUE AS found" + columns + " FROM " + tableOf(mapping, Side::Sink) +
         " AS sink WHERE " + keyEqualsSink(mapping, "s", "sink") + " LIMIT 1) AS t ON TRUE";
}

/// Older, equal, doubtful and unresolved of the joined rows `s` and `t`, in the order of GuardedColumn.
std::string verdicts(const TableMapping& mapping, bool staged = true) {
  const std::string stored = positionRow("t", mapping);
  const std::string incoming = positionRow("s", mapping);
  // Only commit-lsn has doubtful changes, and their measure is the stored second element.
  const std::string doubtful =
      staged && mapping.scheme == PositionScheme::CommitLsn ? "coalesce(s.doubt_lsn > t.p2, FALSE)" : "FALSE";
  return "count(*) FILTER (WHERE " + stored + " > " + incoming + " AND NOT " + doubtful + ") AS older,\n" +
         "    count(*) FILTER (WHERE " + stored + " = " + incoming + " AND NOT " + doubtful + ") AS equal,\n" +
         "    array_agg(s.row_number) FILTER (WHERE " + stored + " >= " + incoming + " AND " + doubtful +
         ") AS doubtful_rows,\n" + "    array_agg(s.row_number) FILTER (WHERE t.found IS NULL OR " + stored + " < " +
         incoming + ") AS unresolved_rows";
}

std::string insertColumns(const TableMapping& mapping) {
  std::string list;
  for (const auto* part : {&mapping.key, &mapping.payload}) {
    for (const ColumnPair& pair : *part) list += (list.empty() ? "" : ", ") + columnOf(pair, Side::Sink);
  }
  for (const PositionColumn& column : positionColumnsOf(mapping)) list += ", " + quoteIdentifier(column.name);
  return list + ", " + quoteIdentifier(mapping.markerColumn);
}

std::string stagedColumns(const TableMapping& mapping) {
  std::string list = numberedList("s", "k", mapping.key.size());
  if (!mapping.payload.empty()) list += ", " + numberedList("s", "v", mapping.payload.size());
  return list + ", " + numberedList("s", "p", positionColumnsOf(mapping).size()) + ", s.deleted";
}

std::string assignments(const TableMapping& mapping, const std::vector<bool>& leftOut) {
  std::string list;
  const auto assign = [&list](const std::string& column) {
    list += (list.empty() ? "" : ", ") + column + " = EXCLUDED." + column;
  };
  for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
    if (leftOut.empty() || !leftOut[i]) assign(columnOf(mapping.payload[i], Side::Sink));
  }
  for (const PositionColumn& column : positionColumnsOf(mapping)) assign(quoteIdentifier(column.name));
  assign(quoteIdentifier(mapping.markerColumn));
  return list;
}

std::string conflictTarget(const TableMapping& mapping) {
  std::string list;
  for (const ColumnPair& pair : mapping.key) list += (list.empty() ? "" : ", ") + columnOf(pair, Side::Sink);
  return list;
}

std::string returningKey(const TableMapping& mapping) {
  std::string list;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    list += columnOf(mapping.key[i], Side::Sink, "stored") + " AS " + numbered("k", i) + ", ";
  }
  return list;
}

}  // namespace

std::string stagingDefinition(const TableMapping& mapping) {
  std::string columns = "0::integer AS row_number, 0::integer AS part, NULL::bigint AS doubt_lsn";
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    columns += ", " + columnOf(mapping.key[i], Side::Sink) + " AS " + numbered("k", i);
  }
  for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
    columns += ", " + columnOf(mapping.payload[i], Side::Sink) + " AS " + numbered("v", i);
  }
  const auto positions = positionColumnsOf(mapping);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    columns += ", " + quoteIdentifier(positions[i].name) + " AS " + numbered("p", i);
  }
  columns += ", " + quoteIdentifier(mapping.markerColumn) + " AS deleted";
  return "ON COMMIT DELETE ROWS AS\nSELECT " + columns + "\nFROM " + tableOf(mapping, Side::Sink) + "\nWITH NO DATA";
}

std::string createStaging(const TableMapping& mapping, const std::string& staging) {
  return "CREATE TEMPORARY TABLE " + quoteIdentifier(staging) + " " + stagingDefinition(mapping);
}

std::string copyIntoStaging(const std::string& staging) {
  return "COPY pg_temp." + quoteIdentifier(staging) + " FROM STDIN";
}

std::string guardedWrite(const TableMapping& mapping, const std::string& staging, const GuardedWrite& write) {
  const std::string staged = "pg_temp." + quoteIdentifier(staging);
  const std::string rows =
      std::string("s.part = $1::integer") + (write.listed ? " AND s.row_number = ANY ($3::integer[])" : "");
  const bool partial = !write.leftOut.empty();
  std::string sql = "WITH written AS (\n  INSERT INTO " + tableOf(mapping, Side::Sink) + " AS stored (" +
                    insertColumns(mapping) + ")\n  SELECT " + stagedColumns(mapping) + "\n  FROM " + staged +
                    " AS s\n  WHERE " + rows + "\n  ON CONFLICT (" + conflictTarget(mapping) + ") DO UPDATE\n  SET " +
                    assignments(mapping, write.leftOut) + "\n  WHERE " + sinkPositionRow("stored", mapping) + " < " +
                    sinkPositionRow("EXCLUDED", mapping);
  if (write.liveOnly) sql += " AND NOT stored." + quoteIdentifier(mapping.markerColumn);
  // An inserted row has no locker or updater yet; a row updated by ON CONFLICT carries the lock that it was taken by.
  sql +=
      "\n  RETURNING " + returningKey(mapping) + "stored." + quoteIdentifier(mapping.markerColumn) +
      " AS deleted, stored.xmax = 0 AS inserted\n),\ntotals AS (\n"
      "  SELECT count(*) AS rows, count(*) FILTER (WHERE deleted) AS marked,\n"
      "    count(*) FILTER (WHERE inserted AND NOT deleted) AS inserted,\n"
      "    count(*) FILTER (WHERE NOT inserted AND NOT deleted) AS updated\n  FROM written\n),\nlost AS (\n  SELECT " +
      verdicts(mapping) + "\n  FROM " + staged + " AS s\n  LEFT JOIN written AS w ON " +
      keyEqualsStaged(mapping, "w", "s") + "\n  " + storedRow(mapping) + "\n  WHERE " + rows +
      " AND w.deleted IS NULL AND (SELECT rows FROM totals) < $2::bigint\n)\n"
      "SELECT totals.inserted, totals.updated, totals.marked, lost.older, lost.equal, lost.doubtful_rows,\n"
      "  lost.unresolved_rows, ";
  sql += partial
             ? "(SELECT array_agg(s.row_number) FROM " + staged + " AS s JOIN written AS w ON " +
                   keyEqualsStaged(mapping, "w", "s") + " WHERE " + rows + (write.liveOnly ? " AND w.inserted)" : ")")
             : "NULL";
  return sql + "\nFROM totals CROSS JOIN lost";
}

std::string classifyRows(const TableMapping& mapping, const std::string& staging) {
  return "SELECT 0, 0, 0, lost.*, NULL\nFROM (\n  SELECT " + verdicts(mapping) + "\n  FROM pg_temp." +
         quoteIdentifier(staging) + " AS s\n  " + storedRow(mapping) +
         "\n  WHERE $1::integer[] IS NULL OR s.row_number = ANY ($1::integer[])\n) AS lost";
}

std::string copyIntoSink(const TableMapping& mapping) {
  return "COPY " + tableOf(mapping, Side::Sink) + " (" + insertColumns(mapping) + ") FROM STDIN";
}

std::string requireKeyIndex(const TableMapping& mapping) {
  const std::string columns = insertColumns(mapping);
  return "EXPLAIN INSERT INTO " + tableOf(mapping, Side::Sink) + " (" + columns + ")\nSELECT " + columns + " FROM " +
         tableOf(mapping, Side::Sink) + " WHERE FALSE\nON CONFLICT (" + conflictTarget(mapping) + ") DO NOTHING";
}

std::string compareStored(const TableMapping& mapping) {
  std::string arrays;
  std::string names;
  std::size_t parameter = 0;
  const auto add = [&](const std::string& type, const std::string& name) {
    arrays += (parameter > 0 ? ", $" : "$") + std::to_string(parameter + 1) + "::" + type + "[]";
    names += (parameter > 0 ? ", " : "") + name;
    ++parameter;
  };
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    add(std::string(castType(mapping.key[i].type.kind)), numbered("k", i));
  }
  for (std::size_t i = 0; i < positionColumnsOf(mapping).size(); ++i) add("bigint", numbered("p", i));
  return "SELECT 0, 0, 0, lost.*, NULL\nFROM (\n  SELECT " + verdicts(mapping, false) +
         "\n  FROM (\n    SELECT *, place - 1 AS row_number\n    FROM unnest(" + arrays +
         ") WITH ORDINALITY AS given (" + names + ", place)\n  ) AS s\n  " + storedRow(mapping) + "\n) AS lost";
}

std::string updateOlder(const TableMapping& mapping, const std::string& staging) {
  const std::string staged = "pg_temp." + quoteIdentifier(staging);
  std::string assigned;
  const auto assign = [&assigned](const std::string& column, const std::string& value) {
    assigned += (assigned.empty() ? "" : ", ") + column + " = s." + value;
  };
  for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
    assign(columnOf(mapping.payload[i], Side::Sink), numbered("v", i));
  }
  const auto positions = positionColumnsOf(mapping);
  for (std::size_t i = 0; i < positions.size(); ++i) assign(quoteIdentifier(positions[i].name), numbered("p", i));
  assign(quoteIdentifier(mapping.markerColumn), "deleted");
  return "WITH written AS (\n  UPDATE " + tableOf(mapping, Side::Sink) + " AS stored\n  SET " + assigned + "\n  FROM " +
         staged + " AS s\n  WHERE " + keyEqualsSink(mapping, "s", "stored") + "\n    AND " +
         sinkPositionRow("stored", mapping) + " < " + positionRow("s", mapping) +
         "\n  RETURNING s.row_number, s.deleted\n),\ntotals AS (\n"
         "  SELECT count(*) AS rows, count(*) FILTER (WHERE deleted) AS marked,\n"
         "    count(*) FILTER (WHERE NOT deleted) AS updated\n  FROM written\n)\n"
         "SELECT 0, totals.updated, totals.marked, 0, 0, NULL,\n"
         "  CASE WHEN totals.rows < $1::bigint THEN ARRAY(\n    SELECT s.row_number FROM " +
         staged + " AS s\n    EXCEPT SELECT written.row_number FROM written) END,\n  NULL\nFROM totals";
}

}  // namespace tidemark::postgres
