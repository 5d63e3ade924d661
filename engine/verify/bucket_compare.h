#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/source/source.h"
#include "engine/verify/verify.h"

namespace tidemark {

/// A key that differed in the first pass, and what each side held then (row hashes; empty: not among its rows).
struct Candidate {
  Key key;
  DifferenceKind seen = DifferenceKind::Stale;
  std::optional<std::uint64_t> sourceContent;
  std::optional<std::uint64_t> sinkContent;
  Position sinkPosition;
};

/// Counts by DifferenceKind.
using KindCounts = std::array<std::uint64_t, 5>;
inline std::uint64_t& countOf(KindCounts& counts, DifferenceKind kind) {
  return counts[static_cast<std::size_t>(kind)];
}

struct BucketComparison {
  RangeDigest source;  ///< By rowHash; only with CompareOptions::digests.
  RangeDigest sink;
  std::uint64_t suspects = 0;
  KindCounts seen{};
  std::vector<Candidate> kept;  ///< The lowest keys.
};

struct CompareOptions {
  std::optional<Position> boundary;
  std::size_t keep = 10000;
  bool digests = true;
};

/// True when two payloads mean the same, column by column (sameValue).
bool sameContent(const TableMapping& mapping, const Row& source, const Row& sink);

/// How a live row on both sides with different content is classed: by the sink's position.
DifferenceKind contentDifference(const std::optional<Position>& boundary, const Position& sinkPosition);

/// Merges the rows of both sides of one range in key order, on the calling thread. Neither stream has to fit into
/// memory. Throws Error "verify.key_order" when a side does not keep the order that compareKeys says.
BucketComparison compareBucket(const TableMapping& mapping, RowStream& source, RowStream& sink,
                               const CompareOptions& options, std::stop_token stop);

/// All rows of a range, with StoredRow::inFilter set for those that `inFilter` delivers too: for a filter that the sink
/// cannot evaluate. Both streams come from the source; a key that only the second has was inserted in between.
std::unique_ptr<RowStream> markFilter(std::unique_ptr<RowStream> all, std::unique_ptr<RowStream> inFilter,
                                      std::vector<ColumnKind> kinds);

}  // namespace tidemark
