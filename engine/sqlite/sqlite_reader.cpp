#include "engine/sqlite/sqlite_reader.h"

#include <algorithm>

#include "engine/core/copy_text.h"
#include "engine/sqlite/sqlite_catalog.h"
#include "engine/sqlite/sqlite_sql.h"

namespace tidemark::sqlite {

namespace {

class Rows final : public RowStream {
 public:
  Rows(Statement statement, TableMapping mapping, bool withPayload)
      : m_statement(std::move(statement)), m_mapping(std::move(mapping)), m_withPayload(withPayload) {}

  bool next(StoredRow& row) override {
    if (m_ended || !m_statement.next()) {
      m_ended = true;
      return false;
    }
    row = readRow(m_statement, m_mapping, m_withPayload);
    return true;
  }

 private:
  Statement m_statement;
  TableMapping m_mapping;
  bool m_withPayload;
  bool m_ended = false;
};

}  // namespace

std::string tableId(const TableMapping& mapping) {
  return mapping.sink.display();
}

std::string keyText(const Key& key) {
  std::string text;
  appendCopyKey(text, key);
  return text;
}

Key keyFromText(const std::string& text) {
  Key key;
  readCopyKey(text, key);
  return key;
}

bool Reading::hasTable(const std::string& name) {
  Statement statement = m_connection.prepare(text::tableExists);
  statement.text(name).query();
  return statement.next();
}

std::optional<Lineage> Reading::storedLineage(const TableMapping& mapping) {
  if (!hasTable("tidemark_lineage")) return {};
  Statement statement = m_connection.prepare(text::selectLineage);
  statement.text(tableId(mapping)).query();
  if (!statement.next()) return {};
  return Lineage{statement.textAt(0), statement.integerAt(1), statement.textAt(2)};
}

std::optional<Position> Reading::onePosition(const TableMapping& mapping, const std::string& sql) {
  requireColumns(m_connection, mapping);
  Statement statement = m_connection.prepare(sql);
  if (!statement.query().next()) return {};
  return readPosition(statement, mapping, 0);
}

std::optional<Position> Reading::newestPosition(const TableMapping& mapping) {
  return onePosition(mapping, highestPosition(mapping));
}

std::optional<Position> Reading::lowestPosition(const TableMapping& mapping) {
  return onePosition(mapping, sqlite::lowestPosition(mapping));
}

std::uint64_t Reading::countLive(const TableMapping& mapping, const Scope& scope) {
  requireColumns(m_connection, mapping);
  Statement statement = m_connection.prepare(sqlite::countLive(mapping, scope));
  bindRange(statement, mapping, scope.range);
  statement.query().next();
  return static_cast<std::uint64_t>(statement.integerAt(0));
}

std::uint64_t Reading::countMarkers(const TableMapping& mapping, const KeyRange& range) {
  requireColumns(m_connection, mapping);
  Statement statement = m_connection.prepare(sqlite::countMarkers(mapping, range));
  bindRange(statement, mapping, range);
  statement.query().next();
  return static_cast<std::uint64_t>(statement.integerAt(0));
}

std::unique_ptr<RowStream> Reading::rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                         const Position& boundary, bool withPayload) {
  requireColumns(m_connection, mapping);
  Statement statement = m_connection.prepare(selectRows(mapping, scope, which, withPayload));
  bindRange(statement, mapping, scope.range);
  if (which == SinkRows::LiveBelow) bindPosition(statement, mapping, boundary);
  statement.query();
  return std::make_unique<Rows>(std::move(statement), mapping, withPayload);
}

std::optional<StoredRow> Reading::readKey(const TableMapping& mapping, const Key& key) {
  Statement& statement = m_connection.cached(selectByKey(mapping));
  bindKey(statement, mapping, key);
  if (!statement.query().next()) return {};
  StoredRow row = readRow(statement, mapping, true);
  statement.finish();
  return row;
}

std::vector<StoredRow> Reading::readKeys(const TableMapping& mapping, std::span<const Key> keys) {
  requireColumns(m_connection, mapping);
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  std::vector<Key> sorted(keys.begin(), keys.end());
  std::ranges::sort(sorted, [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) < 0; });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<StoredRow> rows;
  for (const Key& key : sorted) {
    if (auto row = readKey(mapping, key)) rows.push_back(std::move(*row));
  }
  return rows;
}

std::string Reading::describeConnection() {
  Statement statement = m_connection.prepare("SELECT sqlite_version()");
  statement.query().next();
  return "SQLite " + statement.textAt(0) + ", " + m_connection.file().string();
}

}  // namespace tidemark::sqlite
