#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/apply/apply_counts.h"
#include "engine/catalog/column_type.h"
#include "engine/core/progress.h"
#include "engine/event/change.h"
#include "engine/keys/key_list.h"
#include "engine/monitor/finding.h"
#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"
#include "engine/source/digest.h"
#include "engine/source/rows.h"

namespace tidemark {

enum class SinkRows { Live, LiveBelow };  ///< LiveBelow: live rows whose position is below a boundary (suspects).

/// Everything an audit needs of a sink; has no function that writes, so that an audit cannot write by construction.
/// Owns its connection; one thread at a time.
class SinkReader {
 public:
  virtual ~SinkReader() = default;

  virtual TableShape describe(const TableName& table) = 0;  ///< Throws Error "sink.no_table" and the like.
  /// What the guard needs of the table, and what may surprise it (step 2): key, position, marker, payload, types,
  /// indexes, foreign keys, triggers, generated columns, row security, pooler, rights, room.
  virtual std::vector<Finding> inspect(const TableMapping& mapping, const Scope& scope) = 0;
  /// The lineage stored for this table in the tidemark schema; empty when none was stored yet.
  virtual std::optional<Lineage> storedLineage(const TableMapping& mapping) = 0;
  /// Highest position in the whole table, markers included; empty on an empty table.
  virtual std::optional<Position> newestPosition(const TableMapping& mapping) = 0;
  /// Lowest position that any row, markers included, has at or above zero; empty when there is none.
  virtual std::optional<Position> lowestPosition(const TableMapping& mapping) = 0;
  virtual std::uint64_t countLive(const TableMapping& mapping, const Scope& scope) = 0;
  virtual std::uint64_t countMarkers(const TableMapping& mapping, const KeyRange& range) = 0;
  /// Live rows of the scope in key order; with LiveBelow only those with a position below `boundary`. Payload empty
  /// when `withPayload` is false.
  virtual std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                          const Position& boundary, bool withPayload) = 0;
  /// Stored rows, markers included, of single keys, in key order.
  virtual std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys) = 0;
  virtual std::optional<RangeDigest> digest(const TableMapping& mapping, const Scope& scope, DigestMethod method) = 0;
  virtual std::vector<DigestMethod> digestMethods(const TableMapping& mapping) = 0;
  /// Throws Error "filter.does_not_parse" when `condition` is no condition on this table.
  virtual void checkFilter(const TableMapping& mapping, const std::string& condition) = 0;
  /// A second connection for parallel reading. Called on the thread that will own the clone, while nobody else calls
  /// this object.
  virtual std::unique_ptr<SinkReader> cloneReader() = 0;
  /// "PostgreSQL 15.18, shop on 127.0.0.1:5432 as loader": for the banner. Never holds a secret.
  virtual std::string describeConnection() = 0;
};

struct SweepRequest {
  std::string runId;
  Scope scope;
  Position boundary;
};

/// What the preview found: exactly the set that a commit will mark.
struct SweepPreview {
  std::uint64_t ghosts = 0;
  std::uint64_t liveInScope = 0;
  std::vector<StoredRow> sample;  ///< At most 20 rows.
};

struct SweepResult {
  std::uint64_t marked = 0;
  std::uint64_t noLongerQualified = 0;  ///< Of the previewed set: changed by the stream in between; left alone.
};

struct UndoResult {
  std::uint64_t restored = 0;
  std::vector<Key> changedSince;  ///< Not put back: newer than the sweep; to be read again.
};

/// Who drives a table (design, "What lasts").
struct LockHolder {
  std::string runId;
  std::string user;
  std::string host;
  std::int64_t pid = 0;
  std::string since;  ///< UTC.
};

/// The table that history is put into. Every write goes through the strict guard.
class Sink : public SinkReader {
 public:
  /// Statements that make the tidemark schema (table lock, lineage, before-images, keys to read again), for showing
  /// and for an administrator; empty when everything is there.
  virtual std::vector<std::string> schemaStatements() = 0;
  virtual void ensureSchema() = 0;

  /// Takes the lock on the mapping's table for the run. Throws Error "sink.locked" that names the holder. A lock of
  /// the same run is taken over.
  virtual void lockTable(const TableMapping& mapping, const LockHolder& holder) = 0;
  virtual void unlockTable(const TableMapping& mapping, const std::string& runId) = 0;
  virtual std::optional<LockHolder> lockHolder(const TableMapping& mapping) = 0;
  /// Takes the lock from a holder that is gone; the caller has journalled the decision.
  virtual void breakLock(const TableMapping& mapping) = 0;

  virtual void storeLineage(const TableMapping& mapping, const Lineage& lineage) = 0;

  /// Applies a batch in one transaction, collapsed first, and notes doubtful and incomplete keys as to be read again
  /// in the same transaction, each with the highest position of the changes that it was noted for. Throws Error;
  /// `inDoubt` when the commit's answer was lost (applying again is harmless).
  virtual ApplyResult apply(const TableMapping& mapping, std::span<const Change> batch) = 0;

  /// Keys that were noted as to be read again, and not read since. At most `limit`, in key order.
  virtual std::vector<Key> keysToRead(const TableMapping& mapping, std::size_t limit) = 0;
  virtual void noteKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const std::string& reason) = 0;
  /// Called after those keys were read at boundary `readAt` and applied: forgets the notes on them that were made for
  /// changes below it. A note that another writer made meanwhile, for a newer change, stays. Keys noted by
  /// noteKeysToRead have no change, and are always forgotten.
  virtual void clearKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const Position& readAt) = 0;

  /// Materialises the ghosts of the request under its run id: live, below the boundary, inside the scope, key not in
  /// the list (anti-join on equality). Replaces an earlier preview of the same run and segment range.
  virtual SweepPreview previewSweep(const TableMapping& mapping, const SweepRequest& request, KeyListReader& keys,
                                    std::stop_token stop, ProgressSink& progress) = 0;
  /// The statement that commitSweep will run, for the screen and the journal.
  virtual std::string sweepStatement(const TableMapping& mapping, const SweepRequest& request) = 0;
  /// Marks the previewed set with the guard repeated and keeps before-images, in one transaction. Rolls back and
  /// throws Error "sweep.count_changed" when the number that still qualifies differs from the preview by more than
  /// `tolerance`.
  virtual SweepResult commitSweep(const TableMapping& mapping, const SweepRequest& request,
                                  std::uint64_t tolerance) = 0;
  /// How many before-images the run has: tells whether an interrupted sweep took place.
  virtual std::uint64_t beforeImages(const std::string& runId) = 0;
  /// Keys of the before-images that the run has for this table, in key order.
  virtual std::vector<Key> beforeImageKeys(const TableMapping& mapping, const std::string& runId) = 0;
  /// Puts back the before-images of the run at the boundary where the marker is untouched.
  virtual UndoResult undoSweep(const TableMapping& mapping, const std::string& runId) = 0;
  /// Drops what the run left in the tidemark schema, before-images included.
  virtual void forgetRun(const std::string& runId) = 0;

  virtual std::unique_ptr<Sink> cloneSink() = 0;
};

}  // namespace tidemark
