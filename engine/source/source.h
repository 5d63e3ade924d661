#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/boundary/boundary.h"
#include "engine/catalog/column_type.h"
#include "engine/monitor/finding.h"
#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"
#include "engine/source/digest.h"
#include "engine/source/rows.h"

namespace tidemark {

/// Estimates for step 1 and the plan.
struct TableEstimate {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  bool exact = false;
};

/// The database that history is read from. Owns its connections; one thread at a time. Never writes to the source.
class Source {
 public:
  virtual ~Source() = default;

  virtual TableShape describe(const TableName& table) = 0;  ///< Throws Error "source.no_table" and the like.
  virtual TableEstimate estimate(const TableMapping& mapping, const Scope& scope) = 0;
  /// Primary key, deferrable keys, row security, type support, standby, rights: what reading needs.
  virtual std::vector<Finding> inspect(const TableMapping& mapping, const Scope& scope) = 0;
  /// Log retention: slot state, retained log, prepared transactions (step 4).
  virtual std::vector<Finding> inspectLog() = 0;
  virtual Lineage lineage() = 0;
  /// Newest log position that any change so far can have.
  virtual std::int64_t newestPosition() = 0;
  /// True when nobody has changed the table since the boundary; empty when that cannot be told.
  virtual std::optional<bool> unchangedSince(const TableMapping& mapping, const Boundary& boundary) = 0;

  /// Rule 4.1 to 4.3. Throws Error "boundary.timeout" (naming who holds it back), "boundary.standby".
  virtual Boundary captureBoundary(const BoundaryOptions& options, std::stop_token stop,
                                   const BoundaryObserver& observer) = 0;
  /// Rule 4.4: locks, then takes the snapshot, then streams.
  /// Every key of the range in key order, with the payload of the rows that satisfy the filter (StoredRow::inFilter),
  /// all in one snapshot that ends with the stream (law, rule 5).
  /// May be called on another thread than the one that made this source, while that one makes no call: the stream then
  /// belongs to the calling thread, so it must bring its own connection where connections are bound to threads.
  virtual std::unique_ptr<SegmentStream> openSegment(const TableMapping& mapping, const Scope& scope,
                                                     const Boundary& boundary) = 0;
  /// Rule 4.5, after reading: waits until the log of this moment is flushed. Throws Error "boundary.server_restarted"
  /// when the server is not the one that the boundary was captured on: what was read under it is void.
  virtual void confirmRead(const Boundary& boundary, std::stop_token stop) = 0;
  /// Reads single keys in one new snapshot under `boundary`; keys that the source lacks are missing in the answer.
  /// Answers in key order, whatever the filter. Verification, which stamps nothing, passes a Boundary{} of its own
  /// making: with an empty `serverStart` nothing is asked of the snapshot.
  virtual std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys,
                                          const Boundary& boundary) = 0;
  /// Number of rows in the range, not filtered (to check a key list against), in a snapshot of its own.
  virtual std::uint64_t countKeys(const TableMapping& mapping, const KeyRange& range) = 0;
  /// Live rows of the scope in key order, for verification.
  virtual std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope) = 0;
  /// Ranges of about `rowsPerRange` rows that cover `range` without gaps, in key order.
  virtual std::vector<KeyRange> splitRange(const TableMapping& mapping, const KeyRange& range,
                                           std::uint64_t rowsPerRange) = 0;
  /// Digest of the scope's live rows by a method that both sides know; empty when this source has none.
  virtual std::optional<RangeDigest> digest(const TableMapping& mapping, const Scope& scope, DigestMethod method) = 0;
  /// Methods that this side can compute for the mapping, best first. The side is named by engine and type, so that
  /// equal methods mean equal results (law, rule 9).
  virtual std::vector<DigestMethod> digestMethods(const TableMapping& mapping) = 0;
  /// The exact statement of the load, for the plan and the screen.
  virtual std::string loadStatement(const TableMapping& mapping, const Scope& scope) = 0;
  /// Throws Error "filter.does_not_parse" when `condition` is no condition on this table.
  virtual void checkFilter(const TableMapping& mapping, const std::string& condition) = 0;
  /// "PostgreSQL 15.18, shop on 127.0.0.1:5432 as reader": for the banner. Never holds a secret.
  virtual std::string describeConnection() = 0;
  /// A second connection to the same source, for parallel work. Called on the thread that will own the clone, while
  /// nobody else calls this object.
  virtual std::unique_ptr<Source> clone() = 0;
};

}  // namespace tidemark
