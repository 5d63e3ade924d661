#pragma once

#include <filesystem>
#include <memory>

#include "engine/scope/table_mapping.h"
#include "engine/simulator/database.h"
#include "engine/simulator/sql.h"
#include "engine/simulator/sqlite_file.h"
#include "engine/source/rows.h"

namespace tidemark::simulator {

/// A connection of its own with a read transaction: one snapshot as long as it lives.
class Snapshot {
 public:
  explicit Snapshot(const std::filesystem::path& file);
  SqliteFile& file() { return m_file; }

 private:
  SqliteFile m_file;
};

/// The rows of a query made by sql::segment() or sql::liveRows().
std::unique_ptr<RowStream> streamRows(const SimulatedDatabase& database, const TableMapping& mapping,
                                      const sql::Query& query);
/// A segment's rows; tells the database's hooks what was handed out.
std::unique_ptr<SegmentStream> streamSegment(std::shared_ptr<SimulatedDatabase> database, const TableMapping& mapping,
                                             const Scope& scope);
/// Single keys in key order, all in one snapshot.
std::vector<StoredRow> readRows(const SimulatedDatabase& database, const TableMapping& mapping,
                                std::vector<std::int64_t> ids);

}  // namespace tidemark::simulator
