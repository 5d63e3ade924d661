#include "engine/sqlite/sqlite_catalog.h"

#include <algorithm>
#include <cctype>

#include "engine/core/error.h"
#include "engine/sqlite/sqlite_sql.h"
#include "engine/sqlite/sqlite_types.h"

namespace tidemark::sqlite {

namespace {

constexpr std::string_view kColumns =
    "SELECT name, type, \"notnull\", dflt_value IS NOT NULL, hidden, pk FROM pragma_table_xinfo(?) ORDER BY cid";
constexpr std::string_view kIndexes =
    "SELECT name, \"unique\", origin = 'pk', partial FROM pragma_index_list(?) ORDER BY seq";
constexpr std::string_view kIndexColumns =
    "SELECT coalesce(name, ''), coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno";
constexpr std::string_view kCreate =
    "SELECT coalesce(max(sql), '') FROM sqlite_master WHERE type = 'table' AND name = ?";

[[noreturn]] void refuseTable(Connection& connection, const TableName& table) {
  ErrorDetail detail;
  detail.hint = "Check the table's name in the profile.";
  throw Error("sink.no_table", "there is no table " + table.display() + " in " + connection.file().string(), detail);
}

const CatalogColumn* find(const std::vector<CatalogColumn>& columns, std::string_view name) {
  const auto found = std::ranges::find_if(columns, [&](const CatalogColumn& c) { return sameName(c.name, name); });
  return found == columns.end() ? nullptr : &*found;
}

[[noreturn]] void refuseFilter(const std::string& condition, const std::string& reason) {
  ErrorDetail detail;
  detail.hint = "Write one SQL condition on the table's columns, as after WHERE.";
  detail.technical = condition;
  throw Error("filter.does_not_parse", "the filter is no condition on the table: " + reason, detail);
}

/// The end of a quoted stretch that begins at `at`, past its closing quote; a doubled quote does not close it.
std::size_t endOfQuoted(const std::string& condition, std::size_t at) {
  const char quoteSign = condition[at];
  for (std::size_t i = at + 1; i < condition.size(); ++i) {
    if (condition[i] != quoteSign) continue;
    if (i + 1 < condition.size() && condition[i + 1] == quoteSign) {
      ++i;
    } else {
      return i + 1;
    }
  }
  refuseFilter(condition, "a quote is not closed");
}

/// What the parser would let pass: a misspelt column in double quotes is a text to SQLite, and a bracket that closes
/// too early changes what the condition is joined with.
void checkTokens(const std::string& condition, const std::vector<CatalogColumn>& columns) {
  int depth = 0;
  for (std::size_t at = 0; at < condition.size();) {
    const char sign = condition[at];
    if (sign == '\'' || sign == '"') {
      const std::size_t end = endOfQuoted(condition, at);
      const std::string name = condition.substr(at + 1, end - at - 2);
      if (sign == '"' && find(columns, name) == nullptr) refuseFilter(condition, "there is no column \"" + name + "\"");
      at = end;
    } else if (condition.compare(at, 2, "--") == 0) {
      at = std::min(condition.find('\n', at), condition.size());
    } else if (condition.compare(at, 2, "/*") == 0) {
      const std::size_t end = condition.find("*/", at + 2);
      if (end == std::string::npos) refuseFilter(condition, "a comment is not closed");
      at = end + 2;
    } else {
      if (sign == '(') ++depth;
      if (sign == ')' && --depth < 0) refuseFilter(condition, "a bracket closes that was not opened");
      if (sign == ';') refuseFilter(condition, "it holds more than one statement");
      if (sign == '?') refuseFilter(condition, "it holds a placeholder");
      ++at;
    }
  }
}

}  // namespace

bool sameName(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::vector<CatalogColumn> columnsOf(Connection& connection, const TableName& table) {
  std::vector<CatalogColumn> columns;
  Statement statement = connection.prepare(std::string(kColumns));
  statement.text(table.name).query();
  while (statement.next()) {
    const std::int64_t hidden = statement.integerAt(4);
    columns.push_back({statement.textAt(0), statement.textAt(1), statement.integerAt(2) != 0,
                       statement.integerAt(3) != 0, hidden == 2 || hidden == 3,
                       static_cast<int>(statement.integerAt(5))});
  }
  return columns;
}

std::vector<CatalogIndex> indexesOf(Connection& connection, const TableName& table) {
  std::vector<CatalogIndex> indexes;
  Statement statement = connection.prepare(std::string(kIndexes));
  statement.text(table.name).query();
  while (statement.next()) {
    indexes.push_back({statement.textAt(0),
                       statement.integerAt(1) != 0,
                       statement.integerAt(2) != 0,
                       statement.integerAt(3) != 0,
                       {},
                       {}});
  }
  for (CatalogIndex& index : indexes) {
    Statement parts = connection.prepare(std::string(kIndexColumns));
    parts.text(index.name).query();
    while (parts.next()) {
      index.columns.push_back(parts.textAt(0));
      index.collations.push_back(parts.textAt(1));
    }
  }
  return indexes;
}

std::vector<std::string> namesFrom(Connection& connection, const std::string& sql, const TableName& table) {
  std::vector<std::string> names;
  Statement statement = connection.prepare(sql);
  statement.text(table.name).query();
  while (statement.next()) names.push_back(statement.textAt(0));
  return names;
}

std::string createStatementOf(Connection& connection, const TableName& table) {
  return namesFrom(connection, std::string(kCreate), table).front();
}

TableShape describeTable(Connection& connection, const TableName& table) {
  const std::vector<CatalogColumn> columns = columnsOf(connection, table);
  if (columns.empty()) refuseTable(connection, table);
  TableShape shape;
  shape.name = table;
  std::vector<std::pair<int, std::size_t>> key;
  for (const CatalogColumn& column : columns) {
    const std::optional<ColumnType> type = columnType(column.declared);
    if (!type) refuseType(table.display(), column.name, column.declared);
    if (column.keyPlace > 0) key.emplace_back(column.keyPlace, shape.columns.size());
    shape.columns.push_back({column.name, *type, !column.notNull && column.keyPlace == 0});
  }
  std::ranges::sort(key);
  for (const auto& [place, index] : key) shape.key.push_back(index);
  return shape;
}

void requireColumns(Connection& connection, const TableMapping& mapping) {
  const std::vector<CatalogColumn> columns = columnsOf(connection, mapping.sink);
  if (columns.empty()) refuseTable(connection, mapping.sink);
  std::vector<std::string> wanted;
  for (const ColumnPair& pair : mapping.key) wanted.push_back(pair.sink);
  for (const ColumnPair& pair : mapping.payload) wanted.push_back(pair.sink);
  for (const PositionColumn& column : positionColumnsOf(mapping)) wanted.push_back(column.name);
  wanted.push_back(mapping.markerColumn);
  for (const std::string& name : wanted) {
    if (find(columns, name) != nullptr) continue;
    ErrorDetail detail;
    detail.hint = "Correct the mapping in the profile, or add the column.";
    throw Error("sink.no_column", "the table " + mapping.sink.display() + " has no column " + name, detail);
  }
}

void checkCondition(Connection& connection, const TableMapping& mapping, const std::string& condition) {
  const std::vector<CatalogColumn> columns = columnsOf(connection, mapping.sink);
  if (columns.empty()) refuseTable(connection, mapping.sink);
  if (condition.find_first_not_of(" \t\r\n") == std::string::npos) refuseFilter(condition, "it is empty");
  checkTokens(condition, columns);
  try {
    connection.prepare(explainFilter(mapping, condition)).query();
  } catch (const Error& error) {
    refuseFilter(condition, error.detail().technical.substr(0, error.detail().technical.find('\n')));
  }
}

}  // namespace tidemark::sqlite
