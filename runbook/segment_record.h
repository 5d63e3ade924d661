#pragma once

#include <optional>
#include <vector>

#include "engine/load/load.h"
#include "runbook/run_state.h"

namespace tidemark::runbook {

/// A segment as the journal keeps it, from its boundary to its end.
struct SegmentRecord {
  Segment segment;  ///< As last checkpointed.
  KeyRange asked;   ///< What it was to cover.
};

/// The run's segments in order, from the evidence of step 9.
std::vector<SegmentRecord> segmentsOf(const RunState& run);
/// What is left to load of `whole` after the closed segments; empty when nothing is.
std::optional<KeyRange> leftToLoad(const KeyRange& whole, const std::vector<SegmentRecord>& segments);

}  // namespace tidemark::runbook
