#pragma once

#include <span>
#include <stop_token>

#include "engine/apply/sink.h"
#include "engine/source/source.h"

namespace tidemark {

struct RereadResult {
  Boundary boundary;
  std::uint64_t present = 0;  ///< Keys the source has: applied as reads at B.
  std::uint64_t absent = 0;   ///< Keys the source lacks: applied as deletes at B.
  ApplyCounts counts;
};

/// Reads single keys again under a fresh boundary and applies what the source holds, stamped with B: rows as they
/// are, and a marker where the source has no such key. For keys that are doubtful, incomplete, or listed by a
/// verification. Clears them from the sink's list of keys to read.
RereadResult rereadKeys(Source& source, Sink& sink, const TableMapping& mapping, std::span<const Key> keys,
                        const BoundaryOptions& options, std::stop_token stop, const BoundaryObserver& observer);

}  // namespace tidemark
