#pragma once

#include <string>
#include <vector>

#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// SQL text of the guarded apply. A batch is copied into a staging table of the session, whose columns are:
///   row_number  integer  place in the batch
///   part        integer  which statement writes the row: one left-out mask, one change a key
///   doubt_lsn   bigint   the change's LSN where it may be doubtful (law, rule 2); NULL otherwise
///   k1, k2, …   the key;  v1, v2, …  the payload;  p1, p2, …  the position;  deleted  the marker
/// with the sink's own types.

/// Everything of CREATE TEMPORARY TABLE but the name: also tells whether two mappings can share a staging table.
std::string stagingDefinition(const TableMapping& mapping);
/// CREATE and COPY of a staging table under its name.
std::string createStaging(const TableMapping& mapping, const std::string& staging);
std::string copyIntoStaging(const std::string& staging);

/// One guarded write of a part of the batch, and the counts of what became of it.
struct GuardedWrite {
  std::vector<bool> leftOut;  ///< Payload columns that the part leaves alone; empty = none.
  bool liveOnly = false;      ///< Leaves conflicts with markers unresolved: first pass of a part with left-out columns.
  bool listed = false;        ///< Only the rows listed in $3.
};

/// Columns of the answer of guardedWrite and classifyRows. Lists are text of integer arrays, NULL when empty.
enum GuardedColumn : std::size_t {
  kInserted,
  kUpdated,
  kMarkedDeleted,
  kSkippedOlder,
  kSkippedEqual,
  kDoubtfulRows,
  kUnresolvedRows,  ///< Neither written nor lost as far as the statement's snapshot shows.
  kIncompleteRows   ///< Written although a left-out column met no stored row, or a marker.
};

/// $1 part, $2 number of rows in it, $3 row numbers (integer[], only when `listed`).
std::string guardedWrite(const TableMapping& mapping, const std::string& staging, const GuardedWrite& write);
/// Tells for each staged row what the stored row means for it, without writing or locking: unresolved rows are those
/// that would be written. $1 row numbers (integer[]) or NULL for all.
std::string classifyRows(const TableMapping& mapping, const std::string& staging);

/// COPY of complete rows straight into the sink, in the order key, payload, position, marker.
std::string copyIntoSink(const TableMapping& mapping);
/// Does nothing, but is refused unless a unique index on the key stands, and holds it there until the transaction ends.
std::string requireKeyIndex(const TableMapping& mapping);
/// Like classifyRows, for rows that are not staged: one array a key column, then one a position column. Row numbers
/// are places in the arrays.
std::string compareStored(const TableMapping& mapping);
/// Overwrites stored rows that are older than their staged row, each found by its key; a concurrent writer's newer row
/// is seen before it is overwritten. Leaves nothing out. Answers as guardedWrite does: what was not written is
/// unresolved. $1 number of staged rows.
std::string updateOlder(const TableMapping& mapping, const std::string& staging);

/// Settings for the transaction that keep the plan at one index look-up a row, whatever the statistics say.
extern const char* const kPinPlan;
/// Around updateOlder: hashing the staged rows would cost a scan of the whole sink. guardedWrite joins its own result
/// by hash.
extern const char* const kNoHashJoin;
extern const char* const kHashJoin;

}  // namespace tidemark::postgres
