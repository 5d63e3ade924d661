#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/apply/change.h"
#include "engine/apply/collapse.h"
#include "engine/postgres/connection.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// Rows of one batch that one statement writes: one change a key, one set of left-out columns.
struct ApplyPart {
  std::vector<bool> leftOut;  ///< By payload column; empty when nothing is left out.
  std::vector<Change> rows;   ///< In one order of keys everywhere, so that two writers seldom wait in a ring.
};

/// The guarded apply of one session. Keeps a staging table a mapping in it. The connection must outlive it.
class GuardedApply {
 public:
  explicit GuardedApply(Connection& connection) : m_connection(connection) {}

  /// See Sink::apply. Gives way to other writers and tries again where the server asks for it.
  ApplyResult apply(const TableMapping& mapping, std::span<const Change> batch);

 private:
  struct Staging {
    std::string name;
    bool mostlyStale = false;  ///< The last batch was: look before writing, since a guarded skip locks the row.
  };
  struct Batch;

  Staging& stagingFor(const TableMapping& mapping);
  ApplyResult applyOnce(const TableMapping& mapping, const Staging& staging, std::span<const Change> batch);
  std::vector<StoredPosition> lockStored(const TableMapping& mapping, std::span<const Key> keys);
  void copyRows(const TableMapping& mapping, const Staging& staging, Batch& batch);
  /// Counts what has lost already and returns, for each part, the rows that are still to be written.
  std::vector<std::vector<std::int64_t>> sortOutStale(const TableMapping& mapping, const Staging& staging,
                                                      Batch& batch);
  void writePart(const TableMapping& mapping, const Staging& staging, Batch& batch, std::size_t part,
                 const std::vector<std::int64_t>* onlyRows);
  void classifyRaced(const TableMapping& mapping, const Staging& staging, Batch& batch, const std::string& rows);

  Connection& m_connection;
  std::map<std::string, Staging> m_staging;
};

}  // namespace tidemark::postgres
