#pragma once

#include <stop_token>

#include "engine/load/load.h"

namespace tidemark {

/// Loads the rows that have left the scope's filter at the source while the sink still holds them: live sink rows of
/// `segment.range` below B whose key is in the closed key list. They are stale, not ghosts (law, rule 6). They are
/// read in new snapshots, which see at least what the segment saw, so B is safe for them too. Constant memory.
/// Does nothing without a filter, since then every key of the list was loaded.
void loadFilterLeavers(Source& source, Sink& sink, const LoadRequest& request, Segment& segment,
                       const SegmentCheckpoint& checkpoint, std::stop_token stop, ProgressMeter& meter);

}  // namespace tidemark
