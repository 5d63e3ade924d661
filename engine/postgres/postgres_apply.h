#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/apply/apply_counts.h"
#include "engine/apply/collapse.h"
#include "engine/event/change.h"
#include "engine/postgres/apply_habit.h"
#include "engine/postgres/apply_parts.h"
#include "engine/postgres/connection.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// The guarded apply of one session. Keeps a staging table a mapping in it. The connection must outlive it.
class GuardedApply {
 public:
  explicit GuardedApply(Connection& connection) : m_connection(connection) {}

  /// See Sink::apply. Gives way to other writers and tries again where the server asks for it.
  ApplyResult apply(const TableMapping& mapping, std::span<const Change> batch);

 private:
  struct Staging {
    std::string name;
    ApplyHabit habit{};
  };
  struct Batch;

  Staging& stagingFor(const TableMapping& mapping);
  ApplyResult applyOnce(const TableMapping& mapping, const Staging& staging, std::span<const Change> batch);
  std::vector<StoredPosition> lockStored(const TableMapping& mapping, std::span<const Key> keys);
  void applyPlain(const TableMapping& mapping, const Staging& staging, Batch& batch);
  void applyParts(const TableMapping& mapping, const Staging& staging, Batch& batch, bool onePass);
  void copyRows(const TableMapping& mapping, const Staging& staging, Batch& batch);
  /// Writes a batch that should be new keys alone straight into the sink. A stored row makes the server refuse it.
  void insertNew(const TableMapping& mapping, Batch& batch);
  /// Counts what has lost already, by position alone and without staging anything, and takes it out of the only part.
  void takeOutStale(const TableMapping& mapping, Batch& batch);
  /// Counts what has lost already and returns, for each part, the rows that are still to be written.
  std::vector<std::vector<std::int64_t>> sortOutStale(const TableMapping& mapping, const Staging& staging,
                                                      Batch& batch);
  /// Overwrites the stored rows that are older, and returns the rows that met none.
  std::vector<std::int64_t> updateStored(const TableMapping& mapping, const Staging& staging, Batch& batch);
  void writePart(const TableMapping& mapping, const Staging& staging, Batch& batch, std::size_t part,
                 const std::vector<std::int64_t>* onlyRows);
  void classifyRaced(const TableMapping& mapping, const Staging& staging, Batch& batch, const std::string& rows);

  Connection& m_connection;
  std::map<std::string, Staging> m_staging;
};

}  // namespace tidemark::postgres
