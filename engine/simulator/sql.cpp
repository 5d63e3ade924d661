#include "engine/simulator/sql.h"

#include <stdexcept>

#include "engine/core/error.h"

namespace tidemark::simulator::sql {

std::vector<std::string> createStatements() {
  return {
      "CREATE TABLE IF NOT EXISTS meta ("
      "  name TEXT PRIMARY KEY,"
      "  value TEXT NOT NULL)",
      // Values are kept as canonical text: SQLite would turn a numeric into a binary float.
      "CREATE TABLE IF NOT EXISTS orders ("
      "  id INTEGER PRIMARY KEY,"
      "  customer TEXT NOT NULL,"
      "  status TEXT NOT NULL,"
      "  total TEXT NOT NULL,"
      "  note TEXT,"
      "  updated_at TEXT NOT NULL)",
      "CREATE TABLE IF NOT EXISTS log ("
      "  position INTEGER PRIMARY KEY,"
      "  commit_end INTEGER NOT NULL,"
      "  operation TEXT NOT NULL,"
      "  id INTEGER NOT NULL,"
      "  customer TEXT,"
      "  status TEXT,"
      "  total TEXT,"
      "  note TEXT,"
      "  updated_at TEXT,"
      "  note_unchanged INTEGER NOT NULL)",
      "CREATE INDEX IF NOT EXISTS log_by_commit ON log (commit_end, position)",
      "CREATE TABLE IF NOT EXISTS commits ("
      "  commit_end INTEGER PRIMARY KEY,"
      "  commit_position INTEGER NOT NULL,"
      "  transaction_id INTEGER NOT NULL,"
      "  committed_at INTEGER NOT NULL,"
      "  visible INTEGER NOT NULL)",
      "CREATE INDEX IF NOT EXISTS commits_invisible ON commits (commit_end) WHERE visible = 0",
      "CREATE TABLE IF NOT EXISTS slots ("
      "  name TEXT PRIMARY KEY,"
      "  streamed INTEGER NOT NULL,"
      "  last_commit INTEGER)",
  };
}

std::string createDemoSink(const std::vector<std::string>& positionColumns) {
  std::string positions;
  for (const std::string& column : positionColumns) positions += "  " + quoted(column) + " BIGINT NOT NULL,";
  return "CREATE TABLE IF NOT EXISTS orders ("
         "  id BIGINT NOT NULL PRIMARY KEY,"
         "  customer TEXT,"
         "  status TEXT,"
         "  total NUMERIC TEXT,"
         "  note TEXT,"
         "  updated_at TIMESTAMPTZ TEXT," +
         positions + "  is_deleted BOOLEAN NOT NULL)";
}

const char* const kReadMeta = "SELECT value FROM meta WHERE name = ?";
const char* const kWriteMeta =
    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
const char* const kInsertLogEntry =
    "INSERT INTO log (position, commit_end, operation, id, customer, status, total, note, updated_at, note_unchanged)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const char* const kInsertCommit =
    "INSERT INTO commits (commit_end, commit_position, transaction_id, committed_at, visible) VALUES (?, ?, ?, ?, ?)";
const char* const kPutOrder =
    "INSERT INTO orders (id, customer, status, total, note, updated_at) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET customer = excluded.customer, status = excluded.status, total = excluded.total,"
    " note = excluded.note, updated_at = excluded.updated_at";
const char* const kDeleteOrder = "DELETE FROM orders WHERE id = ?";
const char* const kReadOrder = "SELECT id, customer, status, total, note, updated_at FROM orders WHERE id = ?";
const char* const kMakeVisible = "UPDATE commits SET visible = 1 WHERE commit_end = ?";
const char* const kInvisibleCommits = "SELECT commit_end FROM commits WHERE visible = 0 ORDER BY commit_end";
const char* const kNewestCommit = "SELECT coalesce(max(commit_end), 0) FROM commits";
const char* const kCommitsAfter =
    "SELECT commit_end, commit_position, transaction_id, committed_at FROM commits"
    " WHERE commit_end > ? ORDER BY commit_end LIMIT ?";
const char* const kEntriesOfCommit =
    "SELECT position, operation, note_unchanged, id, customer, status, total, note, updated_at FROM log"
    " WHERE commit_end = ? ORDER BY position";
const char* const kChangedSince = "SELECT 1 FROM log WHERE position >= ? LIMIT 1";
const char* const kReadSlot = "SELECT streamed, last_commit FROM slots WHERE name = ?";
const char* const kWriteSlot =
    "INSERT INTO slots (name, streamed, last_commit) VALUES (?, ?, ?)"
    " ON CONFLICT (name) DO UPDATE SET streamed = excluded.streamed, last_commit = excluded.last_commit";
const char* const kLargestKey =
    "SELECT max((SELECT coalesce(max(id), 0) FROM orders), (SELECT coalesce(max(id), 0) FROM log))";

namespace {

std::string keyColumn(const TableMapping& mapping) {
  if (mapping.key.size() != 1) {
    throw Error("source.key", "the simulator's table orders has one key column, id",
                {.hint = "Map the key to id alone."});
  }
  return quoted(mapping.key.front().source);
}

std::string rangeCondition(const TableMapping& mapping, const KeyRange& range, Query& query) {
  const std::string key = keyColumn(mapping);
  std::string condition;
  const auto add = [&](const KeyBound& bound, const std::string& comparison) {
    condition += condition.empty() ? "" : " AND ";
    condition += key + " " + comparison + " ?";
    query.values.push_back(keyValue(bound.key));
  };
  if (range.from) add(*range.from, range.from->inclusive ? ">=" : ">");
  if (range.to) add(*range.to, range.to->inclusive ? "<=" : "<");
  return condition.empty() ? "1" : condition;
}

/// A filter that is NULL for a row does not select it. The line break ends a comment in the filter.
std::string filterExpression(const std::string& filter) {
  return filter.empty() ? "1" : "coalesce((" + filter + "\n), 0) <> 0";
}

std::string selectList(const TableMapping& mapping, const std::string& inFilter) {
  std::string list = keyColumn(mapping) + ", " + inFilter + " AS in_filter";
  for (const ColumnPair& column : mapping.payload) list += ", " + quoted(column.source);
  return list;
}

std::string table(const TableMapping& mapping) {
  return quoted(mapping.source.name);
}

}  // namespace

std::string quoted(const std::string& identifier) {
  std::string text = "\"";
  for (const char letter : identifier) {
    if (letter == '"') text += '"';
    text += letter;
  }
  return text + '"';
}

std::int64_t keyValue(const Key& key) {
  try {
    if (key.size() != 1) throw std::invalid_argument("parts");
    std::size_t used = 0;
    const std::int64_t value = std::stoll(key.front(), &used);
    if (used != key.front().size()) throw std::invalid_argument("digits");
    return value;
  } catch (const std::logic_error&) {
    throw Error("source.key_value", "a key of orders is one bigint, and " + displayKey(key) + " is none",
                {.hint = "Give whole numbers as keys and as bounds of the range."});
  }
}

std::string withValues(const Query& query) {
  std::string text;
  std::size_t next = 0;
  // Only the range has placeholders, and no quoted name or filter comes before it without being skipped as one.
  bool inText = false, inName = false;
  for (const char letter : query.text) {
    if (letter == '\'' && !inName) inText = !inText;
    if (letter == '"' && !inText) inName = !inName;
    if (letter == '?' && !inText && !inName && next < query.values.size()) {
      text += std::to_string(query.values[next++]);
    } else {
      text += letter;
    }
  }
  return text;
}

Query segment(const TableMapping& mapping, const Scope& scope) {
  Query query;
  const std::string condition = rangeCondition(mapping, scope.range, query);
  query.text = "SELECT " + selectList(mapping, filterExpression(scope.filter)) + "\nFROM " + table(mapping) +
               "\nWHERE " + condition + "\nORDER BY " + keyColumn(mapping);
  return query;
}

Query liveRows(const TableMapping& mapping, const Scope& scope) {
  Query query;
  const std::string condition = rangeCondition(mapping, scope.range, query);
  query.text = "SELECT " + selectList(mapping, "1") + "\nFROM " + table(mapping) + "\nWHERE " + condition + " AND " +
               filterExpression(scope.filter) + "\nORDER BY " + keyColumn(mapping);
  return query;
}

std::string singleRow(const TableMapping& mapping) {
  return "SELECT " + selectList(mapping, "1") + "\nFROM " + table(mapping) + "\nWHERE " + keyColumn(mapping) + " = ?";
}

Query countKeys(const TableMapping& mapping, const KeyRange& range) {
  Query query;
  const std::string condition = rangeCondition(mapping, range, query);
  query.text = "SELECT count(*) FROM " + table(mapping) + " WHERE " + condition;
  return query;
}

Query estimate(const TableMapping& mapping, const Scope& scope) {
  Query query;
  const std::string condition = rangeCondition(mapping, scope.range, query);
  std::string bytes = "8";
  for (const ColumnPair& column : mapping.payload) bytes += " + coalesce(length(" + quoted(column.source) + "), 0)";
  query.text = "SELECT count(*), coalesce(sum(" + bytes + "), 0) FROM " + table(mapping) + " WHERE " + condition +
               " AND " + filterExpression(scope.filter);
  return query;
}

Query rangeEnds(const TableMapping& mapping, const KeyRange& range, std::uint64_t rowsPerRange) {
  Query query;
  const std::string key = keyColumn(mapping);
  const std::string condition = rangeCondition(mapping, range, query);
  query.text = "SELECT key FROM (SELECT " + key + " AS key, row_number() OVER (ORDER BY " + key + ") AS number FROM " +
               table(mapping) + " WHERE " + condition + ") WHERE number % ? = 0 ORDER BY key";
  query.values.push_back(static_cast<std::int64_t>(rowsPerRange));
  return query;
}

std::string filterProbe(const TableMapping& mapping, const std::string& condition) {
  return "SELECT " + filterExpression(condition) + " FROM " + table(mapping) + " LIMIT 0";
}

}  // namespace tidemark::simulator::sql
