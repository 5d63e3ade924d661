#include "engine/postgres/postgres_source_rows.h"

#include <optional>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "engine/postgres/filter_text.h"
#include "engine/postgres/postgres_boundary.h"
#include "engine/postgres/postgres_source_sql.h"

namespace tidemark::postgres {

namespace {

/// Reads COPY rows: key columns, with a filter its flag, payload columns.
class RowReader {
 public:
  RowReader(const TableMapping& mapping, bool hasFlag)
      : m_keys(mapping.key.size()), m_payload(mapping.payload.size()), m_hasFlag(hasFlag) {}

  void read(std::string_view line, StoredRow& row) {
    readCopyRow(line, m_cells);
    if (m_cells.size() != m_keys + (m_hasFlag ? 1 : 0) + m_payload)
      throw Error("source.row", "the server sent a row of " + std::to_string(m_cells.size()) + " columns");
    row.position = kNoPosition;
    row.deleted = false;
    row.key.resize(m_keys);
    for (std::size_t part = 0; part < m_keys; ++part) row.key[part].swap(m_cells[part].text);
    row.inFilter = !m_hasFlag || m_cells[m_keys].text == "1";
    if (!row.inFilter) {
      row.payload.clear();
      return;
    }
    row.payload.resize(m_payload);
    const std::size_t first = m_keys + (m_hasFlag ? 1 : 0);
    for (std::size_t column = 0; column < m_payload; ++column) std::swap(row.payload[column], m_cells[first + column]);
  }

 private:
  std::size_t m_keys;
  std::size_t m_payload;
  bool m_hasFlag;
  std::vector<Cell> m_cells;
};

class PostgresSegment final : public SegmentStream {
 public:
  PostgresSegment(Connection connection, const TableMapping& mapping, const Scope& scope, const Boundary& boundary)
      : m_connection(std::move(connection)), m_mapping(mapping), m_reader(mapping, scope.filtered()) {
    beginRead(m_connection, sql::lockTable(mapping), boundary);
    // Ending the COPY early fails the savepoint alone: the transaction keeps its snapshot for the count.
    m_connection.execScript("SAVEPOINT before_rows");
    m_rows.emplace(m_connection.copyOut(sql::copyOut(sql::loadQuery(mapping, scope))));
  }

  bool next(StoredRow& row) override {
    std::string_view line;
    if (!m_rows || !m_rows->next(line)) return false;
    m_reader.read(line, row);
    return true;
  }

  std::uint64_t countInSnapshot(const KeyRange& range) override {
    m_rows.reset();
    m_connection.execScript("ROLLBACK TO SAVEPOINT before_rows");
    return std::stoull(*m_connection.scalar(sql::countRange(m_mapping, range)));
  }

 private:
  Connection m_connection;
  TableMapping m_mapping;
  RowReader m_reader;
  std::optional<CopyOut> m_rows;
};

class PostgresRows final : public RowStream {
 public:
  PostgresRows(std::shared_ptr<SpareSession> sessions, const TableMapping& mapping, const Scope& scope)
      : m_sessions(std::move(sessions)), m_connection(m_sessions->beginRead()), m_reader(mapping, false) {
    m_connection.execScript(sql::lockTable(mapping));
    m_rows.emplace(m_connection.copyOut(sql::copyOut(sql::rowsQuery(mapping, scope))));
  }
  ~PostgresRows() override {
    // A stream that was left early has been cancelled, and the cancelling may reach the session later.
    const bool ended = !m_rows;
    m_rows.reset();
    if (ended) m_sessions->giveBack(std::move(m_connection));
  }

  bool next(StoredRow& row) override {
    std::string_view line;
    if (!m_rows) return false;
    if (!m_rows->next(line)) {
      m_rows.reset();
      return false;
    }
    m_reader.read(line, row);
    return true;
  }

 private:
  std::shared_ptr<SpareSession> m_sessions;
  Connection m_connection;
  RowReader m_reader;
  std::optional<CopyOut> m_rows;
};

}  // namespace

std::unique_ptr<SegmentStream> openSegmentStream(Connection connection, const TableMapping& mapping, const Scope& scope,
                                                 const Boundary& boundary) {
  if (scope.filtered()) requireSelfContained(scope.filter);
  return std::make_unique<PostgresSegment>(std::move(connection), mapping, scope, boundary);
}

std::unique_ptr<RowStream> openRowStream(std::shared_ptr<SpareSession> sessions, const TableMapping& mapping,
                                         const Scope& scope) {
  if (scope.filtered()) requireSelfContained(scope.filter);
  return std::make_unique<PostgresRows>(std::move(sessions), mapping, scope);
}

StoredRow toStoredRow(const TableMapping& mapping, std::vector<Value>& values) {
  StoredRow row;
  for (std::size_t part = 0; part < mapping.key.size(); ++part) row.key.push_back(std::move(values.at(part)).value());
  for (std::size_t column = mapping.key.size(); column < values.size(); ++column)
    row.payload.push_back(values[column] ? Cell::of(std::move(*values[column])) : Cell::null());
  return row;
}

}  // namespace tidemark::postgres
