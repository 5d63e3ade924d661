#include "engine/postgres/postgres_source_sql.h"

#include <vector>

namespace tidemark::postgres::sql {

namespace {

std::string table(const TableMapping& mapping) {
  return tableOf(mapping, Side::Source);
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

/// The table goes without an alias wherever a filter stands, so that a filter may name it.
std::vector<std::string> columns(const std::vector<ColumnPair>& pairs, std::string_view alias = {}) {
  std::vector<std::string> result;
  for (const ColumnPair& pair : pairs)
    result.push_back(canonicalText(columnOf(pair, Side::Source, alias), pair.type.kind));
  return result;
}

std::string whereRange(const TableMapping& mapping, const KeyRange& range) {
  return "\nWHERE " + rangeCondition(mapping, Side::Source, range);
}

std::string orderByKey(const TableMapping& mapping, std::string_view alias = {}) {
  return "\nORDER BY " + keyOrder(mapping, Side::Source, alias);
}

std::string plainRows(const TableMapping& mapping, const std::string& condition) {
  std::vector<std::string> all = columns(mapping.key);
  for (std::string& column : columns(mapping.payload)) all.push_back(std::move(column));
  return "SELECT " + joined(all, ", ") + "\nFROM " + table(mapping) + "\nWHERE " + condition + orderByKey(mapping);
}

}  // namespace

std::string lockTable(const TableMapping& mapping) {
  return "LOCK TABLE " + table(mapping) + " IN ACCESS SHARE MODE";
}

std::string loadQuery(const TableMapping& mapping, const Scope& scope) {
  if (!scope.filtered()) return plainRows(mapping, rangeCondition(mapping, Side::Source, scope.range));
  std::vector<std::string> all = columns(mapping.key);
  all.push_back("tidemark_scope.tidemark_holds::int");
  for (const std::string& column : columns(mapping.payload))
    all.push_back("CASE WHEN tidemark_scope.tidemark_holds THEN " + column + " END");
  // The line end closes a comment that a filter may end with; IS TRUE makes an unknown condition a false one.
  return "SELECT " + joined(all, ", ") + "\nFROM " + table(mapping) + "\nCROSS JOIN LATERAL (SELECT (" + scope.filter +
         "\n) IS TRUE AS tidemark_holds) AS tidemark_scope" + whereRange(mapping, scope.range) + orderByKey(mapping);
}

std::string rowsQuery(const TableMapping& mapping, const Scope& scope) {
  std::string condition = rangeCondition(mapping, Side::Source, scope.range);
  if (scope.filtered()) condition += "\n  AND (" + scope.filter + "\n)";
  return plainRows(mapping, condition);
}

std::string copyOut(const std::string& query) {
  return "COPY (\n" + query + "\n) TO STDOUT";
}

std::string countRange(const TableMapping& mapping, const KeyRange& range) {
  return "SELECT count(*) FROM " + table(mapping) + whereRange(mapping, range);
}

std::string countScope(const TableMapping& mapping, const Scope& scope) {
  return "SELECT count(*) FROM " + table(mapping) + "\nWHERE " + scopeCondition(mapping, Side::Source, scope);
}

std::string explainScope(const TableMapping& mapping, const Scope& scope) {
  return "EXPLAIN (FORMAT JSON) SELECT 1 FROM " + table(mapping) + "\nWHERE " +
         scopeCondition(mapping, Side::Source, scope);
}

std::string readKeys(const TableMapping& mapping) {
  std::vector<std::string> arrays, names, conditions;
  for (std::size_t part = 0; part < mapping.key.size(); ++part) {
    const ColumnPair& pair = mapping.key[part];
    const std::string name = "key" + std::to_string(part + 1);
    arrays.push_back("$" + std::to_string(part + 1) + "::" + std::string(castType(pair.type.kind)) + "[]");
    names.push_back(name);
    conditions.push_back(columnOf(pair, Side::Source, "t") + " = wanted." + name);
  }
  std::vector<std::string> all = columns(mapping.key, "t");
  for (std::string& column : columns(mapping.payload, "t")) all.push_back(std::move(column));
  return "SELECT " + joined(all, ", ") + "\nFROM unnest(" + joined(arrays, ", ") + ") AS wanted (" +
         joined(names, ", ") + ")\nJOIN " + table(mapping) + " AS t ON " + joined(conditions, " AND ") +
         orderByKey(mapping, "t");
}

std::string splitKeys(const TableMapping& mapping, const KeyRange& range, double percent, std::uint64_t rowsPerStep) {
  std::vector<std::string> keyed, names;
  const std::vector<std::string> keys = columns(mapping.key);
  for (std::size_t part = 0; part < keys.size(); ++part) {
    names.push_back("key" + std::to_string(part + 1));
    keyed.push_back(keys[part] + " AS " + names.back());
  }
  // REPEATABLE: two passes over an unchanged table get the same ranges.
  const std::string sample =
      percent >= 100 ? "" : " TABLESAMPLE SYSTEM (" + std::to_string(percent) + ") REPEATABLE (1)";
  return "SELECT " + joined(names, ", ") + "\nFROM (SELECT " + joined(keyed, ", ") + ", row_number() OVER (ORDER BY " +
         keyOrder(mapping, Side::Source) + ") AS place\n  FROM " + table(mapping) + sample + "\n  WHERE " +
         rangeCondition(mapping, Side::Source, range) + ") AS placed\nWHERE place > 1 AND (place - 1) % " +
         std::to_string(rowsPerStep) + " = 0\nORDER BY place";
}

std::string prepareFilter(const TableMapping& mapping, const std::string& condition) {
  return "PREPARE tidemark_filter AS SELECT 1 FROM " + table(mapping) + " WHERE (" + condition + "\n)";
}

}  // namespace tidemark::postgres::sql
