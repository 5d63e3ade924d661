#include "engine/postgres/postgres_reads.h"

#include "engine/core/copy_text.h"
#include "engine/postgres/array_text.h"
#include "engine/postgres/catalogue.h"
#include "engine/postgres/filter_text.h"
#include "engine/postgres/postgres_read_sql.h"
#include "engine/postgres/postgres_schema.h"
#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

namespace {

constexpr int kFirstWithRecordHash = 140000;

/// Streams COPY rows in one read-only snapshot, on its own session.
class CopyRowStream final : public RowStream {
 public:
  CopyRowStream(std::shared_ptr<SpareSession> sessions, TableMapping mapping, const std::string& select,
                bool withPayload)
      : m_mapping(std::move(mapping)),
        m_withPayload(withPayload),
        m_sessions(std::move(sessions)),
        m_connection(m_sessions->beginRead()) {
    m_copy.emplace(m_connection.copyOut(copyRowsOut(select)));
  }
  ~CopyRowStream() override {
    // A stream that was left early has been cancelled, and the cancelling may reach the session later.
    const bool ended = !m_copy;
    m_copy.reset();
    if (ended) m_sessions->giveBack(std::move(m_connection));
  }

  bool next(StoredRow& row) override {
    std::string_view line;
    if (!m_copy || !m_copy->next(line)) {
      if (m_copy) {
        m_copy.reset();
        m_connection.rollback();
      }
      return false;
    }
    readCopyRow(line, m_cells);
    readStoredRow(m_mapping, m_cells, m_withPayload, row);
    return true;
  }

 private:
  TableMapping m_mapping;
  bool m_withPayload;
  std::shared_ptr<SpareSession> m_sessions;
  Connection m_connection;
  std::optional<CopyOut> m_copy;  // After the connection: it must go first.
  std::vector<Cell> m_cells;
};

}  // namespace

ReadTransaction::ReadTransaction(Connection& connection)
    : m_connection(connection), m_owner(!connection.inTransaction()) {
  if (m_owner) m_connection.begin(Isolation::RepeatableRead, Access::ReadOnly);
}

ReadTransaction::~ReadTransaction() {
  if (m_owner) m_connection.rollback();
}

StoredRow storedRowOf(const TableMapping& mapping, std::vector<Cell>& cells, bool withPayload) {
  StoredRow row;
  readStoredRow(mapping, cells, withPayload, row);
  return row;
}

void readStoredRow(const TableMapping& mapping, std::vector<Cell>& cells, bool withPayload, StoredRow& row) {
  std::size_t at = 0;
  row.key.resize(mapping.key.size());
  for (std::string& part : row.key) part.swap(cells.at(at++).text);
  row.payload.resize(withPayload ? mapping.payload.size() : 0);
  for (Cell& cell : row.payload) std::swap(cell, cells.at(at++));
  row.position = Position{};
  row.inFilter = true;
  const auto count = static_cast<std::size_t>(positionColumns(mapping.scheme));
  const std::size_t stored = cells.size() - at - 1;
  for (std::size_t i = 0; i < stored; ++i) {
    row.position.element.at(i < count ? i : 2) = std::stoll(cells.at(at++).text);
  }
  row.deleted = cells.at(at).text == "t";
}

Parameters keyColumns(const TableMapping& mapping, std::span<const Key> keys) {
  Parameters parameters;
  std::vector<std::string> column;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    column.clear();
    for (const Key& key : keys) column.push_back(key.at(i));
    parameters.push_back(arrayText(column));
  }
  return parameters;
}

TableShape PostgresReads::describe(const TableName& table) {
  const ReadTransaction transaction(m_connection);
  return describeTable(m_connection, table, "sink");
}

std::optional<Lineage> PostgresReads::storedLineage(const TableMapping& mapping) {
  const ReadTransaction transaction(m_connection);
  return readLineage(m_connection, mapping);
}

std::uint64_t PostgresReads::count(const std::string& sql) {
  const ReadTransaction transaction(m_connection);
  return static_cast<std::uint64_t>(m_connection.exec(sql).number(0, 0));
}

std::optional<Position> PostgresReads::position(const TableMapping& mapping, const std::string& sql) {
  const ReadTransaction transaction(m_connection);
  const Result result = m_connection.exec(sql);
  if (result.isNull(0, 0)) return {};
  return positionFromArray(mapping, result.text(0, 0));
}

std::optional<Position> PostgresReads::newestPosition(const TableMapping& mapping) {
  return position(mapping, newestStored(mapping));
}

std::optional<Position> PostgresReads::lowestPosition(const TableMapping& mapping) {
  return position(mapping, lowestStored(mapping));
}

std::uint64_t PostgresReads::countLive(const TableMapping& mapping, const Scope& scope) {
  return count(countLiveRows(mapping, scope));
}

std::uint64_t PostgresReads::countMarkers(const TableMapping& mapping, const KeyRange& range) {
  return count(countMarkerRows(mapping, range));
}

std::unique_ptr<RowStream> PostgresReads::rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                               const Position& boundary, bool withPayload) {
  return std::make_unique<CopyRowStream>(m_sessions, mapping, selectRows(mapping, scope, which, boundary, withPayload),
                                         withPayload);
}

std::vector<StoredRow> PostgresReads::readKeys(const TableMapping& mapping, std::span<const Key> keys) {
  if (keys.empty()) return {};
  const ReadTransaction transaction(m_connection);
  const Result result = m_connection.exec(selectKeys(mapping), keyColumns(mapping, keys));
  std::vector<StoredRow> rows;
  std::vector<Cell> cells;
  for (const std::vector<Value>& row : result.rows) {
    cells.clear();
    for (const Value& value : row) cells.push_back(value ? Cell::of(*value) : Cell::null());
    rows.push_back(storedRowOf(mapping, cells, true));
  }
  return rows;
}

std::optional<RangeDigest> PostgresReads::digest(const TableMapping& mapping, const Scope& scope,
                                                 const DigestMethod& method) {
  if (method.name != kRecordDigest || m_connection.serverVersion() < kFirstWithRecordHash) return {};
  const ReadTransaction transaction(m_connection);
  const Result result = m_connection.exec(digestQuery(mapping, Side::Sink, scope));
  RangeDigest digest;
  digest.rows = std::stoull(result.text(0, 0));
  digest.sum = std::stoull(result.text(0, 1));
  if (!result.isNull(0, 2)) digest.highest = positionFromArray(mapping, result.text(0, 2));
  return digest;
}

std::vector<DigestMethod> PostgresReads::digestMethods(const TableMapping& mapping) {
  if (m_connection.serverVersion() < kFirstWithRecordHash) return {};
  const TableShape shape = describe(mapping.sink);
  for (const auto* part : {&mapping.key, &mapping.payload}) {
    for (const ColumnPair& pair : *part) {
      const Column* column = shape.find(pair.sink);
      // Hashes of two types are equal only by luck; a numeric's scale decides how it prints.
      if (column == nullptr || column->type.kind != pair.type.kind) return {};
      if (pair.type.kind == ColumnKind::Numeric && column->type.scale != pair.type.scale) return {};
    }
  }
  return {DigestMethod{std::string(kRecordDigest)}};
}

void PostgresReads::checkFilter(const TableMapping& mapping, const std::string& condition) {
  if (condition.empty()) return;
  requireSelfContained(condition);
  try {
    const ReadTransaction transaction(m_connection);
    m_connection.exec(tryFilter(mapping, condition));
  } catch (const Error& error) {
    if (error.detail().inDoubt || error.detail().retryCanHelp) throw;
    throw Error("filter.does_not_parse",
                "the filter is no condition on " + mapping.sink.display() + ": " + std::string(error.what()),
                {.hint = "Correct the condition; it may use the table's own columns only.",
                 .technical = condition,
                 .systemCode = error.detail().systemCode});
  }
}

std::string PostgresReads::describeConnection() {
  return "PostgreSQL " + m_connection.serverVersionName() + ", " + m_connection.describe();
}

}  // namespace tidemark::postgres
