#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/core/progress.h"
#include "engine/source/source.h"

namespace tidemark {

enum class DifferenceKind {
  Missing,                  ///< Live at the source, not live in the sink.
  Ghost,                    ///< Live in the sink, unknown to the source.
  Stale,                    ///< Content differs and the sink's position is below the boundary (or none is given).
  DifferentAtSamePosition,  ///< Content differs although the sink's position is at or above the boundary.
  InFlight                  ///< Differed in both passes, but one side changed in between.
};

std::string_view differenceName(DifferenceKind kind);  ///< The stable word for journals and JSON.

struct Difference {
  Key key;
  DifferenceKind kind = DifferenceKind::Stale;
  std::optional<Position> sinkPosition;  ///< Empty when the sink has no row for the key, not even a marker.
  bool sinkHasMarker = false;
  std::vector<std::string> columns;  ///< Sink columns whose content differs.
};

struct Bucket {
  KeyRange range;
  RangeDigest source;
  RangeDigest sink;
};

struct VerifyOptions {
  std::optional<Position> boundary;  ///< B of the run; without it every content difference counts as stale.
  std::uint64_t rowsPerBucket = 250000;
  int connections = 2;                  ///< Parallel connections a side, where digests are allowed.
  bool allowServerDigests = true;       ///< Only ever used when both sides offer an equal method.
  std::size_t differencesKept = 10000;  ///< The lowest keys; more are counted, not listed (see countedOnce).
  std::vector<Key> spotKeys;            ///< Keys to compare whatever the buckets say.
  /// Waits between the two passes until the sink has taken what was in flight; may return at once.
  std::function<void()> betweenPasses;
};

struct VerifyReport {
  std::string method;  ///< "postgresql:hash_record_extended" or "stream".
  std::uint64_t sourceRows = 0;
  std::uint64_t sinkLiveRows = 0;
  std::uint64_t suspects = 0;  ///< Live sink rows of the scope below the boundary; 0 without one.
  std::uint64_t differingFirstPass = 0;
  std::uint64_t missing = 0, ghosts = 0, stale = 0, differentAtSamePosition = 0, inFlight = 0;
  /// Of the five counts above: keys beyond VerifyOptions::differencesKept, which only the first pass has seen. They are
  /// classed by what it saw, so some may be in flight, or be a row that left the filter and not a ghost.
  std::uint64_t countedOnce = 0;
  std::vector<Difference> differences;  ///< Keys that differed in both passes, in key order.
  std::vector<Bucket> buckets;          ///< First pass.
  std::uint64_t spotKeysEqual = 0, spotKeysDifferent = 0;
  std::string sourceDigest;  ///< Over all buckets, hex: equal on two sides that are equal.
  std::string sinkDigest;

  /// Differences that call for action: all but those in flight.
  std::uint64_t toRepair() const { return missing + ghosts + stale + differentAtSamePosition; }
};

/// Compares a scope on both sides twice and classes what differs both times (law, rule 9). Never writes. Memory does
/// not grow with the table: buckets and kept differences only. Where the scope has a filter that the sink cannot
/// evaluate (`sinkFilter` empty), a sink row counts as inside the scope when its key lies in the range. Buckets are
/// read on threads that own clones of both sides; `source` and `sink` themselves, `betweenPasses` and `progress` are
/// used on the calling thread. Throws Cancelled or Error.
VerifyReport verify(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
                    const VerifyOptions& options, std::stop_token stop, ProgressSink& progress);

}  // namespace tidemark
