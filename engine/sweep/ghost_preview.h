#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/core/progress.h"
#include "engine/source/source.h"

namespace tidemark {

/// What a sweep would mark, found by reading only.
struct GhostPreview {
  Boundary boundary;
  std::uint64_t sourceKeys = 0;   ///< Keys of the range at the source, not filtered.
  std::uint64_t liveInScope = 0;  ///< Live sink rows of the scope.
  std::uint64_t ghosts = 0;
  std::vector<StoredRow> sample;  ///< At most 20 ghosts, payload included.
};

/// Counts the rows that a sweep of the scope would mark, without creating anything on either side: captures a boundary,
/// streams the source's keys of the range and the sink's live rows below it, both in key order, and merges them in the
/// client. Memory does not grow with the table. `beforeSink` is called between the two: the place to let the stream
/// deliver deletes that the source's snapshot has seen and the sink has not got yet. Throws Cancelled or Error.
GhostPreview previewGhosts(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
                           const BoundaryOptions& options, const BoundaryObserver& observer, std::stop_token stop,
                           ProgressSink& progress, const std::function<void()>& beforeSink = {});

}  // namespace tidemark
