#include "tests/support/sink_suite.h"

#include <algorithm>
#include <stdexcept>

#include "engine/core/error.h"

namespace tidemark::test {

namespace {

ColumnPair pair(const std::string& name, ColumnKind kind) {
  ColumnType type{kind, std::string(kindName(kind)), {}};
  return {name, name, type};
}

TableMapping mappingWith(SinkFixture& database, const std::string& name, PositionScheme scheme) {
  TableMapping mapping;
  mapping.source = {"public", name};
  mapping.sink = database.tableName(name);
  mapping.scheme = scheme;
  mapping.positionColumns = {"source_lsn"};
  if (scheme == PositionScheme::CommitLsn) mapping.positionColumns = {"source_commit", "source_lsn"};
  mapping.markerColumn = "is_deleted";
  return mapping;
}

std::string inQuotes(const std::string& name) {
  return '"' + name + '"';
}

}  // namespace

SinkSuite::SinkSuite() : m_fixture(GetParam()()), m_sink(m_fixture->open()) {}

SinkSuite::~SinkSuite() {
  m_sink.reset();
  m_fixture.reset();
}

TableMapping SinkSuite::ordersMapping(PositionScheme scheme, const std::string& name) {
  TableMapping mapping = mappingWith(database(), name, scheme);
  mapping.key = {pair("id", ColumnKind::BigInt)};
  mapping.payload = {pair("customer", ColumnKind::Text), pair("total", ColumnKind::Numeric),
                     pair("note", ColumnKind::Text)};
  return mapping;
}

TableMapping SinkSuite::linesMapping() {
  TableMapping mapping = mappingWith(database(), "lines", PositionScheme::Lsn);
  mapping.key = {pair("order_id", ColumnKind::BigInt), pair("sku", ColumnKind::Text)};
  mapping.payload = {pair("qty", ColumnKind::Integer)};
  return mapping;
}

TableMapping SinkSuite::everyKindMapping() {
  TableMapping mapping = mappingWith(database(), "Every \"kind\"", PositionScheme::Lsn);
  mapping.key = {pair("id", ColumnKind::Uuid)};
  mapping.payload = {pair("small", ColumnKind::SmallInt),
                     pair("normal", ColumnKind::Integer),
                     pair("big", ColumnKind::BigInt),
                     pair("exact", ColumnKind::Numeric),
                     pair("words", ColumnKind::Text),
                     pair("yes or no", ColumnKind::Boolean),
                     pair("day", ColumnKind::Date),
                     pair("moment", ColumnKind::Timestamp),
                     pair("instant", ColumnKind::TimestampTz),
                     pair("other", ColumnKind::Uuid),
                     pair("doc", ColumnKind::Json),
                     pair("docb", ColumnKind::Jsonb),
                     pair("bytes", ColumnKind::Bytea)};
  return mapping;
}

std::string SinkSuite::createStatement(const TableMapping& mapping) {
  const std::string table = (mapping.sink.schema.empty() ? "" : inQuotes(mapping.sink.schema) + ".");
  std::string name = mapping.sink.name;
  for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
  std::string sql = "CREATE TABLE " + table + inQuotes(name) + " (";
  std::string key;
  for (const ColumnPair& column : mapping.key) {
    sql += inQuotes(column.sink) + " " + database().declaredType(column.type.kind) + " NOT NULL, ";
    key += (key.empty() ? "" : ", ") + inQuotes(column.sink);
  }
  for (const ColumnPair& column : mapping.payload) {
    sql += inQuotes(column.sink) + " " + database().declaredType(column.type.kind);
    sql += mapping.fillers.contains(column.sink) ? " NOT NULL, " : ", ";
  }
  std::vector<std::string> positions = mapping.positionColumns;
  const bool listed = std::ranges::find(positions, mapping.ordinalColumn) != positions.end();
  if (!mapping.ordinalColumn.empty() && !listed) positions.push_back(mapping.ordinalColumn);
  for (const std::string& column : positions) sql += inQuotes(column) + " BIGINT NOT NULL, ";
  return sql + inQuotes(mapping.markerColumn) + " BOOLEAN NOT NULL, PRIMARY KEY (" + key + "))";
}

void SinkSuite::createTable(const TableMapping& mapping) {
  database().execute(createStatement(mapping));
  sink().ensureSchema();
}

std::string SinkSuite::changedStatement(const TableMapping& mapping, const std::string& from, const std::string& to) {
  std::string sql = createStatement(mapping);
  const std::size_t at = sql.find(from);
  if (at == std::string::npos) throw std::logic_error(from + " does not stand in " + sql);
  return sql.replace(at, from.size(), to);
}

Finding SinkSuite::inspectOrders(const TableMapping& mapping, const std::string& sql, const std::string& id) {
  database().execute(sql);
  const Finding finding = findingOf(sink().inspect(mapping, {}), id);
  if (finding.severity != Severity::Pass) {
    EXPECT_FALSE(finding.hint.empty()) << id;
    EXPECT_FALSE(finding.measured.empty()) << id;
  }
  database().execute("DROP TABLE orders");
  return finding;
}

std::string SinkSuite::stateOf(const TableMapping& mapping, const std::vector<Key>& keys) {
  std::string state;
  for (const StoredRow& stored : sink().readKeys(mapping, keys)) {
    std::string text = displayKey(stored.key) + ":";
    for (std::size_t i = 0; i < stored.payload.size(); ++i) {
      const Cell& cell = stored.payload[i];
      if (i > 0) text += ",";
      text += cell.isNull() ? "NULL" : cell.text;
    }
    // A marker's payload is shown only when it holds something.
    const bool empty = std::ranges::all_of(stored.payload, &Cell::isNull);
    if (stored.deleted) text = displayKey(stored.key) + ":deleted" + (empty ? "" : "(" + text + ")");
    text += "@" + std::to_string(stored.position.element[0]);
    if (mapping.scheme == PositionScheme::CommitLsn) text += "/" + std::to_string(stored.position.element[1]);
    if (!mapping.ordinalColumn.empty()) text += "#" + std::to_string(stored.position.element[2]);
    state += (state.empty() ? "" : " ") + text;
  }
  return state;
}

Change row(Key key, Row payload, std::int64_t lsn) {
  Change change;
  change.key = std::move(key);
  change.payload = std::move(payload);
  change.lsn = lsn;
  change.position = Position{{lsn, 0, 0}};
  return change;
}

Change removal(Key key, std::int64_t lsn) {
  Change change = row(std::move(key), {}, lsn);
  change.deleted = true;
  return change;
}

Change pairRow(Key key, Row payload, std::optional<std::int64_t> c, std::int64_t l) {
  Change change = row(std::move(key), std::move(payload), l);
  change.firstElementNull = !c.has_value();
  change.position = changePosition(PositionScheme::CommitLsn, c, l);
  return change;
}

Change pairRemoval(Key key, std::optional<std::int64_t> c, std::int64_t l) {
  Change change = pairRow(std::move(key), {}, c, l);
  change.deleted = true;
  return change;
}

Change pairRead(Key key, Row payload, std::optional<std::int64_t> c) {
  Change change = row(std::move(key), std::move(payload), c.value_or(0));
  change.isRead = true;
  change.firstElementNull = !c.has_value();
  change.position = readPosition(PositionScheme::CommitLsn, c);
  return change;
}

std::string print(const ApplyCounts& counts) {
  std::string text;
  const auto add = [&](const char* name, std::uint64_t count) {
    if (count > 0) text += (text.empty() ? "" : " ") + std::string(name) + " " + std::to_string(count);
  };
  add("inserted", counts.inserted);
  add("updated", counts.updated);
  add("deleted", counts.markedDeleted);
  add("older", counts.skippedOlder);
  add("equal", counts.skippedEqual);
  add("doubtful", counts.doubtful);
  add("collapsed", counts.collapsed);
  add("incomplete", counts.incomplete);
  return text;
}

Finding findingOf(const std::vector<Finding>& findings, const std::string& id) {
  const auto found = std::ranges::find(findings, id, &Finding::id);
  EXPECT_NE(found, findings.end()) << "there is no finding " << id;
  return found == findings.end() ? Finding{} : *found;
}

}  // namespace tidemark::test
