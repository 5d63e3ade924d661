#pragma once

#include <span>
#include <vector>

#include "engine/apply/change.h"

namespace tidemark {

struct CollapsedBatch {
  std::vector<Change> rows;     ///< One change a key: the highest position; of equal ones, the first to arrive.
  std::uint64_t collapsed = 0;  ///< Changes that lost inside the batch.
};

/// Reduces a batch to one change per key (law, rule 1): the highest position wins, and a column that the winner left
/// out takes the newest earlier value in the batch (unless a delete lies between). Under `commit-lsn`, changes whose
/// first element is null are candidates for doubt and must have been taken out with splitDoubtCandidates before.
CollapsedBatch collapse(std::span<const Change> batch);

/// Changes with a null first element under `commit-lsn`, which must meet the stored row before the batch is
/// collapsed, or a later change of the batch could hide that they lost. `rest` keeps arrival order.
struct DoubtSplit {
  std::vector<Change> candidates;
  std::vector<Change> rest;
};
DoubtSplit splitDoubtCandidates(PositionScheme scheme, std::span<const Change> batch);

}  // namespace tidemark
