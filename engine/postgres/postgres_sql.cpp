#include "engine/postgres/postgres_sql.h"

#include "engine/core/error.h"

namespace tidemark::postgres {

namespace {

std::string qualified(std::string_view alias, std::string quoted) {
  return alias.empty() ? quoted : std::string(alias) + "." + quoted;
}

/// One end of a range as a row comparison, which is lexicographic over the key's columns.
std::string boundCondition(const TableMapping& mapping, Side side, const KeyBound& bound, std::string_view greater,
                           std::string_view alias) {
  if (bound.key.size() != mapping.key.size()) {
    throw Error("scope.key_columns",
                "a bound of the key range of " + mapping.source.display() + " has " + std::to_string(bound.key.size()) +
                    " values, but the key has " + std::to_string(mapping.key.size()) + " columns",
                {.hint = "Give one value for each key column, in the order of the primary key."});
  }
  std::string columns;
  std::string values;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    const ColumnPair& pair = mapping.key[i];
    if (i > 0) columns += ", ", values += ", ";
    columns += comparable(columnOf(pair, side, alias), pair.type.kind);
    values += quoteLiteral(bound.key[i]) + "::" + std::string(castType(pair.type.kind));
  }
  const std::string comparison = std::string(greater) + (bound.inclusive ? "=" : "");
  if (mapping.key.size() == 1) return columns + " " + comparison + " " + values;
  return "ROW(" + columns + ") " + comparison + " ROW(" + values + ")";
}

/// A column as it goes into the row's hash.
std::string hashable(const ColumnPair& pair, Side side) {
  const std::string column = columnOf(pair, side);
  switch (pair.type.kind) {
    case ColumnKind::Numeric:
      // 1.0 and 1.00 hash alike: harmless only where both sides print one scale.
      return pair.type.scale ? column : column + "::text COLLATE \"C\"";
    case ColumnKind::Json:
    case ColumnKind::Jsonb:
      return column + "::text COLLATE \"C\"";
    case ColumnKind::Text:
      return column + " COLLATE \"C\"";
    default:
      return column;
  }
}

/// The highest stored position as text of an array. An array a row is dear, and one column needs none.
std::string highestPosition(const TableMapping& mapping) {
  const std::vector<PositionColumn> columns = positionColumnsOf(mapping);
  if (columns.size() == 1) return "('{' || max(" + quoteIdentifier(columns.front().name) + ") || '}')";
  std::string list;
  for (const PositionColumn& column : columns) list += (list.empty() ? "" : ", ") + quoteIdentifier(column.name);
  return "max(ARRAY[" + list + "])";
}

}  // namespace

std::string quoteIdentifier(std::string_view name) {
  if (name.empty()) throw Error("postgres.identifier", "a table or column name is empty");
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '\0') {
      throw Error("postgres.identifier", "the name " + std::string(name.substr(0, name.find('\0'))) +
                                             " holds a zero byte, which no PostgreSQL name can");
    }
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

std::string schemaOf(const TableName& table) {
  return table.schema.empty() ? "public" : table.schema;
}

std::string quoteTable(const TableName& table) {
  return quoteIdentifier(schemaOf(table)) + "." + quoteIdentifier(table.name);
}

std::string quoteLiteral(std::string_view value) {
  std::string quoted = "'";
  bool escaped = false;
  for (const char c : value) {
    if (c == '\0') throw Error("postgres.literal", "a value holds a zero byte, which no PostgreSQL text can");
    quoted += c;
    if (c == '\'' || c == '\\') quoted += c;
    escaped = escaped || c == '\\';
  }
  return (escaped ? "E" : "") + quoted + "'";
}

std::string tableOf(const TableMapping& mapping, Side side) {
  return quoteTable(side == Side::Source ? mapping.source : mapping.sink);
}

std::string columnOf(const ColumnPair& pair, Side side, std::string_view alias) {
  return qualified(alias, quoteIdentifier(side == Side::Source ? pair.source : pair.sink));
}

std::string_view castType(ColumnKind kind) {
  // Tidemark's kinds carry the names that this server gives them.
  return kindName(kind);
}

std::string canonicalText(const std::string& expression, ColumnKind kind) {
  // boolean prints as t and f, but its cast to text gives the words; everything else is canonical by the session.
  return kind == ColumnKind::Boolean ? expression + "::text" : expression;
}

std::string comparable(const std::string& expression, ColumnKind kind) {
  return kind == ColumnKind::Text ? expression + " COLLATE \"C\"" : expression;
}

std::string keyOrder(const TableMapping& mapping, Side side, std::string_view alias) {
  std::string order;
  for (const ColumnPair& pair : mapping.key) {
    if (!order.empty()) order += ", ";
    order += comparable(columnOf(pair, side, alias), pair.type.kind);
  }
  return order;
}

std::string rangeCondition(const TableMapping& mapping, Side side, const KeyRange& range, std::string_view alias) {
  std::string condition;
  if (range.from) condition = boundCondition(mapping, side, *range.from, ">", alias);
  if (range.to) {
    if (!condition.empty()) condition += " AND ";
    condition += boundCondition(mapping, side, *range.to, "<", alias);
  }
  return condition.empty() ? "TRUE" : condition;
}

std::string scopeCondition(const TableMapping& mapping, Side side, const Scope& scope) {
  const std::string& filter = side == Side::Source ? scope.filter : scope.sinkFilter;
  std::string condition = "(" + rangeCondition(mapping, side, scope.range) + ")";
  // The line end closes a comment that a filter may end with.
  if (!filter.empty()) condition += " AND (" + filter + "\n)";
  return condition;
}

Position positionFromArray(const TableMapping& mapping, std::string_view text) {
  Position position;
  std::size_t begin = 1;  // After the brace.
  for (const PositionColumn& column : positionColumnsOf(mapping)) {
    const std::size_t end = text.find_first_of(",}", begin);
    position.element.at(column.element) = std::stoll(std::string(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return position;
}

std::string rowHash(const TableMapping& mapping, Side side) {
  std::string columns;
  for (const auto* part : {&mapping.key, &mapping.payload}) {
    for (const ColumnPair& pair : *part) {
      if (!columns.empty()) columns += ", ";
      columns += hashable(pair, side);
    }
  }
  return "hash_record_extended(ROW(" + columns + "), 0)";
}

std::string digestQuery(const TableMapping& mapping, Side side, const Scope& scope) {
  // Each aggregate computes its argument anew, and the hash is what costs: so one aggregate of it, and no subquery,
  // which would double the cost of a row.
  const std::string hash = rowHash(mapping, side);
  std::string live;
  std::string highest;
  std::string condition;
  if (side == Side::Sink) {
    const std::string filter = scope.sinkFilter.empty() ? "" : " AND (" + scope.sinkFilter + "\n)";
    live = " FILTER (WHERE NOT " + quoteIdentifier(mapping.markerColumn) + filter + ")";
    highest = ", " + highestPosition(mapping) + "::text";
    condition = rangeCondition(mapping, side, scope.range);
  } else {
    condition = scopeCondition(mapping, side, scope);
  }
  return "SELECT (count(*)" + live + ")::text, coalesce(mod(mod(sum(" + hash + ")" + live +
         ", 18446744073709551616) + 18446744073709551616, 18446744073709551616), 0)::text" + highest + "\nFROM " +
         tableOf(mapping, side) + "\nWHERE " + condition;
}

}  // namespace tidemark::postgres
