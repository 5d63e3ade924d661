#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "engine/core/progress.h"
#include "engine/verify/bucket_compare.h"
#include "engine/verify/verify.h"

namespace tidemark {

/// What both sides hold for a set of keys at one moment, whatever the filter: rows reduced to hashes.
struct KeyState {
  std::optional<std::uint64_t> source;  ///< Empty: no such row.
  std::optional<std::uint64_t> sink;    ///< Empty: no live row.
  std::optional<Position> sinkPosition;
  bool sinkHasMarker = false;
  std::vector<std::string> columns;  ///< Sink columns whose content differs; only with both rows.

  bool differs() const { return source.has_value() != sink.has_value() || !columns.empty(); }
  bool sameAs(const KeyState& other) const {
    return source == other.source && sink == other.sink && sinkPosition == other.sinkPosition;
  }
};

/// Reads keys (sorted, each once) on both sides, a few at a time. One state a key, in the same order.
std::vector<KeyState> readStates(Source& source, SinkReader& sink, const TableMapping& mapping,
                                 std::span<const Key> keys, std::stop_token stop);

/// Classes a key that differs in `second`. In flight when a side changed since `first`, or between the first pass and
/// `first`.
DifferenceKind classify(const Candidate& candidate, const KeyState& first, const KeyState& second,
                        const std::optional<Position>& boundary);

}  // namespace tidemark
