#include "engine/sqlite/sqlite_sql.h"

#include <charconv>

#include "engine/core/error.h"

namespace tidemark::sqlite {

namespace {

bool isInteger(ColumnKind kind) {
  return kind == ColumnKind::SmallInt || kind == ColumnKind::Integer || kind == ColumnKind::BigInt;
}

template <typename Items, typename Print>
std::string join(const Items& items, std::string_view between, Print print) {
  std::string result;
  for (const auto& item : items) {
    if (!result.empty()) result += between;
    result += print(item);
  }
  return result;
}

std::string columnOf(const ColumnPair& pair) {
  return quote(pair.sink);
}

std::string keyList(const TableMapping& mapping) {
  return join(mapping.key, ", ", columnOf);
}

/// Key columns as they are compared and ordered: text bytewise, whatever collation the column was declared with.
std::string orderedKey(const TableMapping& mapping) {
  return join(mapping.key, ", ", [](const ColumnPair& pair) {
    return isInteger(pair.type.kind) || pair.type.kind == ColumnKind::Boolean ? quote(pair.sink)
                                                                              : quote(pair.sink) + " COLLATE BINARY";
  });
}

std::string keyEquals(const TableMapping& mapping) {
  return join(mapping.key, " AND ", [](const ColumnPair& pair) { return quote(pair.sink) + " = ?"; });
}

std::string positionList(const TableMapping& mapping, const std::string& prefix = {}) {
  return join(positionColumnsOf(mapping), ", ",
              [&](const PositionColumn& column) { return prefix + quote(column.name); });
}

std::string marks(std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += i == 0 ? "?" : ", ?";
  return result;
}

std::string tuple(const std::string& list) {
  return "(" + list + ")";
}

std::string below(const TableMapping& mapping) {
  return tuple(positionList(mapping)) + " < " + tuple(marks(positionColumnsOf(mapping).size()));
}

std::string rangeCondition(const TableMapping& mapping, const KeyRange& range) {
  std::string result;
  const std::string bound = tuple(marks(mapping.key.size()));
  if (range.from) {
    result += " AND " + tuple(orderedKey(mapping)) + (range.from->inclusive ? " >= " : " > ") + bound;
  }
  if (range.to) {
    result += " AND " + tuple(orderedKey(mapping)) + (range.to->inclusive ? " <= " : " < ") + bound;
  }
  return result;
}

/// A line feed before the bracket: a comment at the condition's end must not swallow it.
std::string filterCondition(const std::string& condition) {
  return condition.empty() ? "" : " AND (" + condition + "\n)";
}

std::string liveInScope(const TableMapping& mapping, const Scope& scope) {
  return " FROM " + quote(mapping.sink) + " WHERE " + quote(mapping.markerColumn) + " = 0" +
         rangeCondition(mapping, scope.range) + filterCondition(scope.sinkFilter);
}

std::string selectList(const TableMapping& mapping, bool withPayload) {
  std::string list = keyList(mapping);
  if (withPayload && !mapping.payload.empty()) list += ", " + join(mapping.payload, ", ", columnOf);
  return list + ", " + positionList(mapping) + ", " + quote(mapping.markerColumn);
}

int hexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

[[noreturn]] void refuseValue(const std::string& column, ColumnKind kind, const std::string& value) {
  ErrorDetail detail;
  detail.hint = "The event does not match the mapping's column type. Nothing of this batch was written.";
  detail.technical = value;
  throw Error("sink.value", "column " + column + ": the value is no " + std::string(kindName(kind)), detail);
}

std::string bytesOf(const std::string& text, const std::string& column) {
  if (!text.starts_with("\\x") || text.size() % 2 != 0) refuseValue(column, ColumnKind::Bytea, text);
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const int high = hexDigit(text[i]);
    const int low = hexDigit(text[i + 1]);
    if (high < 0 || low < 0) refuseValue(column, ColumnKind::Bytea, text);
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

std::string hexOf(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\x";
  for (const char letter : bytes) {
    const auto byte = static_cast<unsigned char>(letter);
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

Cell fillerOf(const TableMapping& mapping, const ColumnPair& pair) {
  const auto filler = mapping.fillers.find(pair.sink);
  return filler == mapping.fillers.end() ? Cell::null() : Cell::of(filler->second);
}

/// A left-out column stands in the INSERT only when it has a filler for a row that is not there yet.
bool inInsert(const TableMapping& mapping, std::size_t column, bool leftOut) {
  return !leftOut || mapping.fillers.contains(mapping.payload[column].sink);
}

}  // namespace

std::string quote(std::string_view identifier) {
  std::string quoted = "\"";
  for (const char letter : identifier) {
    if (letter == '"') quoted.push_back('"');
    quoted.push_back(letter);
  }
  quoted.push_back('"');
  return quoted;
}

std::string quote(const TableName& table) {
  return table.schema.empty() ? quote(table.name) : quote(table.schema) + "." + quote(table.name);
}

std::string selectByKey(const TableMapping& mapping) {
  return "SELECT " + selectList(mapping, true) + " FROM " + quote(mapping.sink) + " WHERE " + keyEquals(mapping);
}

std::string selectRows(const TableMapping& mapping, const Scope& scope, SinkRows which, bool withPayload) {
  std::string sql = "SELECT " + selectList(mapping, withPayload) + liveInScope(mapping, scope);
  if (which == SinkRows::LiveBelow) sql += " AND " + below(mapping);
  return sql + " ORDER BY " + orderedKey(mapping);
}

std::string countLive(const TableMapping& mapping, const Scope& scope) {
  return "SELECT count(*)" + liveInScope(mapping, scope);
}

std::string countMarkers(const TableMapping& mapping, const KeyRange& range) {
  return "SELECT count(*) FROM " + quote(mapping.sink) + " WHERE " + quote(mapping.markerColumn) + " = 1" +
         rangeCondition(mapping, range);
}

std::string highestPosition(const TableMapping& mapping) {
  return "SELECT " + positionList(mapping) + " FROM " + quote(mapping.sink) + " ORDER BY " +
         join(positionColumnsOf(mapping), ", ",
              [](const PositionColumn& column) { return quote(column.name) + " DESC"; }) +
         " LIMIT 1";
}

std::string lowestPosition(const TableMapping& mapping) {
  return "SELECT " + positionList(mapping) + " FROM " + quote(mapping.sink) + " WHERE " +
         quote(positionColumnsOf(mapping).front().name) + " >= 0 ORDER BY " + positionList(mapping) + " LIMIT 1";
}

std::string explainFilter(const TableMapping& mapping, const std::string& condition) {
  return "EXPLAIN SELECT 1 FROM " + quote(mapping.sink) + " WHERE (" + condition + "\n)";
}

std::string guardedUpsert(const TableMapping& mapping, const std::vector<bool>& leftOut) {
  std::string columns = keyList(mapping);
  std::string assignments;
  std::size_t count = mapping.key.size();
  for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
    const std::string name = quote(mapping.payload[i].sink);
    if (inInsert(mapping, i, leftOut[i])) {
      columns += ", " + name;
      ++count;
    }
    if (!leftOut[i]) assignments += name + " = excluded." + name + ", ";
  }
  for (const PositionColumn& column : positionColumnsOf(mapping)) {
    const std::string name = quote(column.name);
    columns += ", " + name;
    assignments += name + " = excluded." + name + ", ";
    ++count;
  }
  const std::string marker = quote(mapping.markerColumn);
  return "INSERT INTO " + quote(mapping.sink) + " AS stored (" + columns + ", " + marker + ")\nVALUES (" +
         marks(count + 1) + ")\nON CONFLICT (" + keyList(mapping) + ") DO UPDATE SET " + assignments + marker +
         " = excluded." + marker + "\nWHERE " + tuple(positionList(mapping, "stored.")) + " < " +
         tuple(positionList(mapping, "excluded."));
}

std::string markGhost(const TableMapping& mapping) {
  const auto assign = [](const std::string& name) { return quote(name) + " = ?"; };
  std::string assignments = join(mapping.payload, ", ", [&](const ColumnPair& pair) { return assign(pair.sink); });
  if (!assignments.empty()) assignments += ", ";
  assignments += join(positionColumnsOf(mapping), ", ", [&](const PositionColumn& c) { return assign(c.name); });
  const std::string marker = quote(mapping.markerColumn);
  return "UPDATE " + quote(mapping.sink) + "\nSET " + assignments + ", " + marker + " = 1\nWHERE " +
         keyEquals(mapping) + " AND " + marker + " = 0 AND " + below(mapping);
}

std::string restoreRow(const TableMapping& mapping) {
  std::string assignments =
      join(mapping.payload, ", ", [](const ColumnPair& pair) { return quote(pair.sink) + " = ?"; });
  if (!assignments.empty()) assignments += ", ";
  const std::string marker = quote(mapping.markerColumn);
  return "UPDATE " + quote(mapping.sink) + "\nSET " + assignments + marker + " = 0\nWHERE " + keyEquals(mapping) +
         " AND " + marker + " = 1 AND " + tuple(positionList(mapping)) + " = " +
         tuple(marks(positionColumnsOf(mapping).size()));
}

void bindCell(Statement& statement, ColumnKind kind, const Cell& cell, const std::string& column) {
  if (cell.isNull()) {
    statement.null();
  } else if (cell.isLeftOut()) {
    throw Error("sink.left_out", "column " + column + ": a value that the event left out was about to be written");
  } else if (isInteger(kind)) {
    std::int64_t number = 0;
    const char* const end = cell.text.data() + cell.text.size();
    const auto [stopped, failure] = std::from_chars(cell.text.data(), end, number);
    if (failure != std::errc() || stopped != end) refuseValue(column, kind, cell.text);
    statement.integer(number);
  } else if (kind == ColumnKind::Boolean) {
    if (cell.text != "true" && cell.text != "false") refuseValue(column, kind, cell.text);
    statement.integer(cell.text == "true" ? 1 : 0);
  } else if (kind == ColumnKind::Bytea) {
    statement.bytes(bytesOf(cell.text, column));
  } else {
    statement.text(cell.text);
  }
}

void bindKey(Statement& statement, const TableMapping& mapping, const Key& key) {
  if (key.size() != mapping.key.size()) {
    throw Error("sink.key", "a key of " + std::to_string(key.size()) + " parts does not fit the " +
                                std::to_string(mapping.key.size()) + " key columns of " + mapping.sink.display());
  }
  for (std::size_t i = 0; i < key.size(); ++i) {
    bindCell(statement, mapping.key[i].type.kind, Cell::of(key[i]), mapping.key[i].sink);
  }
}

void bindPosition(Statement& statement, const TableMapping& mapping, const Position& position) {
  for (const PositionColumn& column : positionColumnsOf(mapping)) statement.integer(position.element[column.element]);
}

void bindRange(Statement& statement, const TableMapping& mapping, const KeyRange& range) {
  if (range.from) bindKey(statement, mapping, range.from->key);
  if (range.to) bindKey(statement, mapping, range.to->key);
}

Row markerPayload(const TableMapping& mapping) {
  Row payload;
  for (const ColumnPair& pair : mapping.payload) payload.push_back(fillerOf(mapping, pair));
  return payload;
}

void bindUpsert(Statement& statement, const TableMapping& mapping, const Change& change) {
  bindKey(statement, mapping, change.key);
  const Row payload = change.deleted ? markerPayload(mapping) : change.payload;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    const ColumnPair& pair = mapping.payload[i];
    if (!inInsert(mapping, i, payload[i].isLeftOut())) continue;
    bindCell(statement, pair.type.kind, payload[i].isLeftOut() ? fillerOf(mapping, pair) : payload[i], pair.sink);
  }
  bindPosition(statement, mapping, change.position);
  statement.integer(change.deleted ? 1 : 0);
}

Cell readCell(const Statement& statement, int column, ColumnKind kind) {
  if (statement.isNull(column)) return Cell::null();
  if (kind == ColumnKind::Boolean && statement.isInteger(column)) {
    return Cell::of(statement.integerAt(column) != 0 ? "true" : "false");
  }
  if (kind == ColumnKind::Bytea) return Cell::of(hexOf(statement.bytesAt(column)));
  return Cell::of(statement.textAt(column));
}

Position readPosition(const Statement& statement, const TableMapping& mapping, int firstColumn) {
  Position position;
  for (const PositionColumn& column : positionColumnsOf(mapping)) {
    position.element[column.element] = statement.integerAt(firstColumn++);
  }
  return position;
}

StoredRow readRow(const Statement& statement, const TableMapping& mapping, bool withPayload) {
  StoredRow row;
  int column = 0;
  for (const ColumnPair& pair : mapping.key) row.key.push_back(readCell(statement, column++, pair.type.kind).text);
  if (withPayload) {
    for (const ColumnPair& pair : mapping.payload) row.payload.push_back(readCell(statement, column++, pair.type.kind));
  }
  row.position = readPosition(statement, mapping, column);
  column += static_cast<int>(positionColumnsOf(mapping).size());
  row.deleted = statement.integerAt(column) != 0;
  return row;
}

}  // namespace tidemark::sqlite
