#include "engine/verify/verify.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/verify/first_pass.h"
#include "engine/verify/row_hash.h"
#include "engine/verify/second_pass.h"

namespace tidemark {

namespace {

std::vector<Key> sortedOnce(std::vector<Key> keys, const std::vector<ColumnKind>& kinds) {
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) < 0; });
  const auto same = [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) == 0; };
  keys.erase(std::unique(keys.begin(), keys.end(), same), keys.end());
  return keys;
}

std::uint64_t& reported(VerifyReport& report, DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::Missing:
      return report.missing;
    case DifferenceKind::Ghost:
      return report.ghosts;
    case DifferenceKind::Stale:
      return report.stale;
    case DifferenceKind::DifferentAtSamePosition:
      return report.differentAtSamePosition;
    case DifferenceKind::InFlight:
      break;
  }
  return report.inFlight;
}

constexpr std::array kKinds{DifferenceKind::Missing, DifferenceKind::Ghost, DifferenceKind::Stale,
                            DifferenceKind::DifferentAtSamePosition, DifferenceKind::InFlight};

class Verification {
 public:
  Verification(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
               const VerifyOptions& options, std::stop_token stop, ProgressSink& progress)
      : m_source(source),
        m_sink(sink),
        m_mapping(mapping),
        m_scope(scope),
        m_options(options),
        m_stop(std::move(stop)),
        m_meter(progress, "verify", source.estimate(mapping, scope).rows) {}

  VerifyReport run() {
    m_first = firstPass(m_source, m_sink, m_mapping, m_scope, m_options, m_stop, m_meter);
    reportBuckets();
    countBeyondKept();
    recheck();
    m_meter.finish();
    return std::move(m_report);
  }

 private:
  void reportBuckets() {
    m_report.method = m_first.method;
    m_report.suspects = m_first.suspects;
    RangeDigest source;
    RangeDigest sink;
    for (const Bucket& bucket : m_first.buckets) {
      addRange(source, bucket.source);
      addRange(sink, bucket.sink);
    }
    m_report.sourceRows = source.rows;
    m_report.sinkLiveRows = sink.rows;
    m_report.sourceDigest = digestText(source);
    m_report.sinkDigest = digestText(sink);
    m_report.buckets = std::move(m_first.buckets);
  }

  /// What was not kept cannot be read again: it is counted as the first pass saw it.
  void countBeyondKept() {
    KindCounts beyond = m_first.seen;
    for (const Candidate& candidate : m_first.kept) --countOf(beyond, candidate.seen);
    for (const DifferenceKind kind : kKinds) {
      m_report.differingFirstPass += countOf(m_first.seen, kind);
      m_report.countedOnce += countOf(beyond, kind);
      reported(m_report, kind) += countOf(beyond, kind);
    }
  }

  /// Reads what differed twice more, before and after the wait: only what differs in both and stood still is a
  /// difference that calls for action.
  void recheck() {
    std::vector<Key> keys;
    for (const Candidate& candidate : m_first.kept) keys.push_back(candidate.key);
    const std::vector<Key> spots = sortedOnce(m_options.spotKeys, m_mapping.keyKinds());
    const std::vector<KeyState> before = readStates(m_source, m_sink, m_mapping, keys, m_stop);
    const std::vector<KeyState> spotsBefore = readStates(m_source, m_sink, m_mapping, spots, m_stop);
    if (m_options.betweenPasses) m_options.betweenPasses();
    if (m_stop.stop_requested()) throw Cancelled();
    const std::vector<KeyState> after = readStates(m_source, m_sink, m_mapping, keys, m_stop);
    const std::vector<KeyState> spotsAfter = readStates(m_source, m_sink, m_mapping, spots, m_stop);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (before[i].differs() && after[i].differs()) report(m_first.kept[i], before[i], after[i]);
    }
    for (std::size_t i = 0; i < spots.size(); ++i) {
      ++(spotsBefore[i].differs() && spotsAfter[i].differs() ? m_report.spotKeysDifferent : m_report.spotKeysEqual);
    }
  }

  void report(const Candidate& candidate, const KeyState& before, const KeyState& after) {
    Difference& difference = m_report.differences.emplace_back();
    difference.key = candidate.key;
    difference.kind = classify(candidate, before, after, m_options.boundary);
    difference.sinkPosition = after.sinkPosition;
    difference.sinkHasMarker = after.sinkHasMarker;
    difference.columns = after.columns;
    ++reported(m_report, difference.kind);
  }

  Source& m_source;
  SinkReader& m_sink;
  const TableMapping& m_mapping;
  const Scope& m_scope;
  const VerifyOptions& m_options;
  const std::stop_token m_stop;
  ProgressMeter m_meter;
  FirstPassResult m_first;
  VerifyReport m_report;
};

}  // namespace

std::string_view differenceName(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::Missing:
      return "missing";
    case DifferenceKind::Ghost:
      return "ghost";
    case DifferenceKind::Stale:
      return "stale";
    case DifferenceKind::DifferentAtSamePosition:
      return "different at the same position";
    case DifferenceKind::InFlight:
      break;
  }
  return "in flight";
}

VerifyReport verify(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
                    const VerifyOptions& options, std::stop_token stop, ProgressSink& progress) {
  return Verification(source, sink, mapping, scope, options, std::move(stop), progress).run();
}

}  // namespace tidemark
