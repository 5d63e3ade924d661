#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/event/change.h"

namespace tidemark {

/// A batch reduced per key. Apply `earlier`, pass by pass, then `rows`, all in one transaction, each pass through the
/// guard. No pass holds a key twice.
struct CollapsedBatch {
  /// Changes that a row's left-out columns depend on, oldest first: a column's value must meet the guard under its own
  /// position, because the stored row may be newer than the change that carries it though older than the row, and a
  /// delete in between must cut the stored values off. Empty for batches without left-out columns.
  std::vector<std::vector<Change>> earlier;
  std::vector<Change> rows;     ///< One change a key: the highest position; of equal ones, the first to arrive.
  std::uint64_t collapsed = 0;  ///< Changes that lost inside the batch; those in `earlier` are not among them.
};

/// Reduces a batch to the changes that matter (law, rule 1): the highest position of each key wins, and a column that
/// the winner left out takes the newest earlier value, by position whatever the order of arrival: from the batch, or
/// from the stored row where that is newer, and from neither when a delete lies between. Keys keep the order in which
/// they first arrived. Under `commit-lsn` what settleDoubt finds doubtful must have been taken out before.
CollapsedBatch collapse(std::span<const Change> batch);

/// A key's stored position, live row or marker.
struct StoredPosition {
  Key key;
  Position position;
};

/// Keys, each once, of the changes that may turn out doubtful (law, rule 2). Empty under every scheme but `commit-lsn`,
/// and nearly always there. A sink looks their stored positions up, locking the rows, before it calls settleDoubt.
std::vector<Key> keysThatMayBeDoubtful(PositionScheme scheme, std::span<const Change> batch);

struct SettledBatch {
  std::vector<Change> rest;      ///< To be collapsed, in order of arrival.
  std::vector<Change> doubtful;  ///< Not to be applied; their keys are read again.
};

/// Sets apart the changes that lose, against the stored row or an earlier arrival of the batch, and may be newer all
/// the same. Collapsing first would hide that they lost. `stored` has the rows found for keysThatMayBeDoubtful; a key
/// that is missing in it has no stored row.
SettledBatch settleDoubt(PositionScheme scheme, std::span<const Change> batch, std::span<const StoredPosition> stored);

}  // namespace tidemark
