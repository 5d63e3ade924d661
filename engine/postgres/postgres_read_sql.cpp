#include "engine/postgres/postgres_read_sql.h"

#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

namespace {

std::string dotted(const std::string& alias, const std::string& name) {
  return (alias.empty() ? "" : alias + ".") + quoteIdentifier(name);
}

std::string positionList(const TableMapping& mapping, const std::string& alias) {
  std::string list;
  for (const PositionColumn& column : positionColumnsOf(mapping)) {
    list += (list.empty() ? "" : ", ") + dotted(alias, column.name);
  }
  return list;
}

std::string joinWantedKeys(const TableMapping& mapping) {
  std::string arrays;
  std::string names;
  std::string equal;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const std::string comma = i > 0 ? ", " : "";
    arrays += comma + "$" + number + "::" + std::string(castType(mapping.key[i].type.kind)) + "[]";
    names += comma + "k" + number;
    equal += (i > 0 ? " AND " : "") + columnOf(mapping.key[i], Side::Sink, "t") + " = wanted.k" + number;
  }
  return "\nFROM (SELECT DISTINCT * FROM unnest(" + arrays + ") AS keys (" + names + ")) AS wanted\nJOIN " +
         tableOf(mapping, Side::Sink) + " AS t ON " + equal;
}

}  // namespace

std::string storedColumns(const TableMapping& mapping, const std::string& alias, bool withPayload) {
  std::string list;
  for (const ColumnPair& pair : mapping.key) {
    list += canonicalText(columnOf(pair, Side::Sink, alias), pair.type.kind) + ", ";
  }
  if (withPayload) {
    for (const ColumnPair& pair : mapping.payload) {
      list += canonicalText(columnOf(pair, Side::Sink, alias), pair.type.kind) + ", ";
    }
  }
  return list + positionList(mapping, alias) + ", " + dotted(alias, mapping.markerColumn);
}

std::vector<std::int64_t> positionNumbers(const TableMapping& mapping, const Position& position) {
  std::vector<std::int64_t> numbers;
  for (const PositionColumn& column : positionColumnsOf(mapping)) numbers.push_back(position.element[column.element]);
  return numbers;
}

std::string positionLiterals(const TableMapping& mapping, const Position& position) {
  std::string list;
  for (const std::int64_t number : positionNumbers(mapping, position)) {
    // Quoted, because -1::bigint would mean -(1::bigint).
    list += (list.empty() ? "(" : ", ") + ("'" + std::to_string(number)) + "'::bigint";
  }
  return list + ")";
}

std::string belowPosition(const TableMapping& mapping, const std::string& alias, const Position& position) {
  return "(" + positionList(mapping, alias) + ") < " + positionLiterals(mapping, position);
}

std::string positionArray(const TableMapping& mapping, const std::string& alias) {
  return "ARRAY[" + positionList(mapping, alias) + "]";
}

std::string selectRows(const TableMapping& mapping, const Scope& scope, SinkRows which, const Position& boundary,
                       bool withPayload) {
  std::string sql = "SELECT " + storedColumns(mapping, "", withPayload) + "\nFROM " + tableOf(mapping, Side::Sink) +
                    "\nWHERE NOT " + quoteIdentifier(mapping.markerColumn) + " AND " +
                    scopeCondition(mapping, Side::Sink, scope);
  if (which == SinkRows::LiveBelow) sql += " AND " + belowPosition(mapping, "", boundary);
  return sql + "\nORDER BY " + keyOrder(mapping, Side::Sink);
}

std::string copyRowsOut(const std::string& select) {
  return "COPY (" + select + ") TO STDOUT";
}

std::string countLiveRows(const TableMapping& mapping, const Scope& scope) {
  return "SELECT count(*) FROM " + tableOf(mapping, Side::Sink) + " WHERE NOT " +
         quoteIdentifier(mapping.markerColumn) + " AND " + scopeCondition(mapping, Side::Sink, scope);
}

std::string countMarkerRows(const TableMapping& mapping, const KeyRange& range) {
  return "SELECT count(*) FROM " + tableOf(mapping, Side::Sink) + " WHERE " + quoteIdentifier(mapping.markerColumn) +
         " AND " + rangeCondition(mapping, Side::Sink, range);
}

std::string newestStored(const TableMapping& mapping) {
  return "SELECT max(" + positionArray(mapping, "") + ") FROM " + tableOf(mapping, Side::Sink);
}

std::string lowestStored(const TableMapping& mapping) {
  return "SELECT min(" + positionArray(mapping, "") + ") FROM " + tableOf(mapping, Side::Sink) + " WHERE " +
         quoteIdentifier(positionColumnsOf(mapping).front().name) + " >= 0";
}

std::string selectKeys(const TableMapping& mapping) {
  return "SELECT " + storedColumns(mapping, "t") + joinWantedKeys(mapping) + "\nORDER BY " +
         keyOrder(mapping, Side::Sink, "t");
}

std::string lockKeys(const TableMapping& mapping) {
  std::string keys;
  for (const ColumnPair& pair : mapping.key) {
    keys += canonicalText(columnOf(pair, Side::Sink, "t"), pair.type.kind) + ", ";
  }
  return "SELECT " + keys + positionArray(mapping, "t") + joinWantedKeys(mapping) + "\nORDER BY " +
         keyOrder(mapping, Side::Sink, "t") + "\nFOR UPDATE OF t";
}

std::string tryFilter(const TableMapping& mapping, const std::string& condition) {
  return "SELECT CASE WHEN " + condition + "\nTHEN 1 END FROM " + tableOf(mapping, Side::Sink) + " LIMIT 0";
}

}  // namespace tidemark::postgres
