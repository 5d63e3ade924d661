#include "engine/simulator/source_rows.h"

#include <algorithm>

namespace tidemark::simulator {

namespace {

void bindAll(Statement& statement, const sql::Query& query) {
  for (const std::int64_t value : query.values) statement.bind(value);
}

/// Columns as sql::segment() selects them.
void fill(const Statement& statement, std::size_t payloadColumns, StoredRow& row) {
  row = StoredRow{};
  row.position = kNoPosition;
  row.key = {std::to_string(statement.integer(0))};
  row.inFilter = statement.integer(1) != 0;
  if (!row.inFilter) return;
  row.payload.reserve(payloadColumns);
  for (std::size_t i = 0; i < payloadColumns; ++i) {
    auto value = statement.textOrNull(static_cast<int>(i) + 2);
    row.payload.push_back(value ? Cell::of(std::move(*value)) : Cell::null());
  }
}

class Rows final : public RowStream {
 public:
  Rows(const SimulatedDatabase& database, const TableMapping& mapping, const sql::Query& query)
      : m_payloadColumns(mapping.payload.size()),
        m_snapshot(database.file()),
        m_statement(m_snapshot.file(), query.text) {
    bindAll(m_statement, query);
    m_statement.execute();
  }

  bool next(StoredRow& row) override {
    if (!m_statement.next()) return false;
    fill(m_statement, m_payloadColumns, row);
    return true;
  }

 private:
  std::size_t m_payloadColumns;
  Snapshot m_snapshot;
  Statement m_statement;
};

class SegmentRows final : public SegmentStream {
 public:
  SegmentRows(std::shared_ptr<SimulatedDatabase> database, const TableMapping& mapping, const Scope& scope)
      : m_database(std::move(database)),
        m_hooks(m_database->hooks()),
        m_mapping(mapping),
        m_snapshot(m_database->file()) {
    const sql::Query query = sql::segment(mapping, scope);
    m_statement = std::make_unique<Statement>(m_snapshot.file(), query.text);
    bindAll(*m_statement, query);
    m_statement->execute();
  }

  ~SegmentRows() override {
    // A segment that was given up is over for whoever watches it, and nobody is there to take an error any more.
    try {
      end();
    } catch (...) {
    }
  }

  bool next(StoredRow& row) override {
    if (m_ended) return false;
    if (!m_statement->next()) {
      end();
      return false;
    }
    fill(*m_statement, m_mapping.payload.size(), row);
    if (m_hooks->segmentRead) m_hooks->segmentRead(m_statement->integer(0));
    return true;
  }

  std::uint64_t countInSnapshot(const KeyRange& range) override {
    const sql::Query query = sql::countKeys(m_mapping, range);
    std::uint64_t count = 0;
    {
      Statement statement(m_snapshot.file(), query.text);
      bindAll(statement, query);
      statement.execute();
      if (statement.next()) count = static_cast<std::uint64_t>(statement.integer(0));
    }
    end();
    return count;
  }

 private:
  void end() {
    if (m_ended) return;
    m_ended = true;
    if (m_hooks->segmentEnded) m_hooks->segmentEnded();
  }

  std::shared_ptr<SimulatedDatabase> m_database;
  std::shared_ptr<const SimulatorHooks> m_hooks;
  TableMapping m_mapping;
  Snapshot m_snapshot;
  std::unique_ptr<Statement> m_statement;
  bool m_ended = false;
};

}  // namespace

Snapshot::Snapshot(const std::filesystem::path& file) : m_file(file, SqliteFile::Access::ReadOnly) {
  m_file.run("BEGIN");
  // SQLite takes the snapshot with the first read, not with BEGIN.
  Statement(m_file, "SELECT 1 FROM orders LIMIT 1").execute().next();
}

std::unique_ptr<RowStream> streamRows(const SimulatedDatabase& database, const TableMapping& mapping,
                                      const sql::Query& query) {
  return std::make_unique<Rows>(database, mapping, query);
}

std::unique_ptr<SegmentStream> streamSegment(std::shared_ptr<SimulatedDatabase> database, const TableMapping& mapping,
                                             const Scope& scope) {
  const auto hooks = database->hooks();
  if (hooks->segmentOpens) hooks->segmentOpens(scope.range);
  return std::make_unique<SegmentRows>(std::move(database), mapping, scope);
}

std::vector<StoredRow> readRows(const SimulatedDatabase& database, const TableMapping& mapping,
                                std::vector<std::int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Snapshot snapshot(database.file());
  std::vector<StoredRow> rows;
  Statement statement(snapshot.file(), sql::singleRow(mapping));
  for (const std::int64_t id : ids) {
    if (!statement.bind(id).execute().next()) continue;
    fill(statement, mapping.payload.size(), rows.emplace_back());
  }
  return rows;
}

}  // namespace tidemark::simulator
