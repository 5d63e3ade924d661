#include "engine/verify/first_pass.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "engine/core/error.h"
#include "engine/verify/crews.h"
#include "engine/verify/row_hash.h"

namespace tidemark {

namespace {

constexpr std::uint64_t kRowsPerDigest = 10000;

/// Collects what the buckets' threads find. Keeps the lowest keys, whatever order the buckets end in. Thread-safe.
class Collector {
 public:
  explicit Collector(std::size_t keep) : m_keep(keep) {}

  void add(std::size_t bucket, BucketComparison comparison) {
    const std::lock_guard lock(m_mutex);
    m_suspects += comparison.suspects;
    for (std::size_t i = 0; i < m_seen.size(); ++i) m_seen[i] += comparison.seen[i];
    m_size += comparison.kept.size();
    m_kept[bucket] = std::move(comparison.kept);
    while (m_size > m_keep) {
      std::vector<Candidate>& last = std::prev(m_kept.end())->second;
      const std::size_t dropped = std::min(m_size - m_keep, last.size());
      last.resize(last.size() - dropped);
      m_size -= dropped;
      if (last.empty()) m_kept.erase(std::prev(m_kept.end()));
    }
  }

  void moveTo(FirstPassResult& result) {
    result.suspects += m_suspects;
    result.seen = m_seen;
    for (auto& [bucket, kept] : m_kept) {
      std::move(kept.begin(), kept.end(), std::back_inserter(result.kept));
    }
  }

 private:
  const std::size_t m_keep;
  std::mutex m_mutex;
  std::map<std::size_t, std::vector<Candidate>> m_kept;
  std::size_t m_size = 0;
  std::uint64_t m_suspects = 0;
  KindCounts m_seen{};
};

class FirstPass {
 public:
  FirstPass(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
            const VerifyOptions& options, std::stop_token stop, ProgressMeter& meter)
      : m_source(source),
        m_sink(sink),
        m_mapping(mapping),
        m_scope(scope),
        m_options(options),
        m_stop(std::move(stop)),
        m_meter(meter),
        m_collector(options.differencesKept) {}

  FirstPassResult run() {
    const std::optional<DigestMethod> method = sharedMethod();
    // A difference costs the reading of its whole range: digests are made of finer ones than the report shows.
    const std::uint64_t pieces = method ? std::max<std::uint64_t>(m_options.rowsPerBucket / kRowsPerDigest, 1) : 1;
    const std::uint64_t rows = std::max<std::uint64_t>(m_options.rowsPerBucket / pieces, 1);
    for (KeyRange& range : m_source.splitRange(m_mapping, m_scope.range, rows)) {
      m_result.buckets.push_back({std::move(range), {}, {}});
    }
    if (m_result.buckets.empty()) m_result.buckets.push_back({m_scope.range, {}, {}});
    std::vector<std::size_t> toStream(m_result.buckets.size());
    std::iota(toStream.begin(), toStream.end(), std::size_t{0});
    if (method) {
      m_result.method = method->name;
      digestBuckets(*method);
      std::erase_if(toStream,
                    [this](std::size_t i) { return m_result.buckets[i].source.sameContent(m_result.buckets[i].sink); });
      countSuspects();
    }
    compareBuckets(toStream, !method);
    joinPieces(pieces);
    m_collector.moveTo(m_result);
    return std::move(m_result);
  }

 private:
  /// Turns each `pieces` neighbouring ranges into one bucket of the report.
  void joinPieces(std::uint64_t pieces) {
    std::vector<Bucket> joined;
    for (std::size_t i = 0; i < m_result.buckets.size(); ++i) {
      Bucket& piece = m_result.buckets[i];
      if (i % pieces == 0) {
        joined.push_back(std::move(piece));
        continue;
      }
      joined.back().range.to = std::move(piece.range.to);
      addRange(joined.back().source, piece.source);
      addRange(joined.back().sink, piece.sink);
    }
    m_result.buckets = std::move(joined);
  }

  /// A filter that only the source can evaluate has no meaning in the sink's digest.
  bool sinkKnowsFilter() const { return !m_scope.filtered() || !m_scope.sinkFilter.empty(); }

  std::optional<DigestMethod> sharedMethod() {
    if (!m_options.allowServerDigests || !sinkKnowsFilter()) return std::nullopt;
    const std::vector<DigestMethod> atSink = m_sink.digestMethods(m_mapping);
    for (const DigestMethod& method : m_source.digestMethods(m_mapping)) {
      if (std::find(atSink.begin(), atSink.end(), method) != atSink.end()) return method;
    }
    return std::nullopt;
  }

  Scope scopeOf(std::size_t bucket) const {
    Scope scope = m_scope;
    scope.range = m_result.buckets[bucket].range;
    return scope;
  }

  static RangeDigest required(std::optional<RangeDigest> digest, const DigestMethod& method, const char* side) {
    if (digest) return *digest;
    throw Error("verify.digest", std::string("the ") + side + " offers the digest " + method.name + " but made none");
  }

  void digestBuckets(const DigestMethod& method) {
    const auto equipSource = [this, &method]() -> CrewTask {
      const std::shared_ptr<Source> clone = m_source.clone();
      return [this, &method, clone](std::size_t bucket, const std::stop_token&) {
        m_result.buckets[bucket].source = required(clone->digest(m_mapping, scopeOf(bucket), method), method, "source");
      };
    };
    const auto equipSink = [this, &method]() -> CrewTask {
      const std::shared_ptr<SinkReader> clone = m_sink.cloneReader();
      return [this, &method, clone](std::size_t bucket, const std::stop_token&) {
        m_result.buckets[bucket].sink = required(clone->digest(m_mapping, scopeOf(bucket), method), method, "sink");
      };
    };
    std::size_t pieces = 0;
    runCrews({{m_options.connections, equipSource}, {m_options.connections, equipSink}}, m_result.buckets.size(),
             m_stop, [&](std::size_t done) {
               pieces += done;
               m_meter.advance(0, "digest " + std::to_string(pieces / 2) + " of " +
                                      std::to_string(m_result.buckets.size()) + " ranges");
             });
    for (const Bucket& bucket : m_result.buckets) m_meter.advance(bucket.source.rows);
  }

  /// The digests do not tell how many rows lie below the boundary.
  void countSuspects() {
    if (!m_options.boundary) return;
    const auto rows = m_sink.rows(m_mapping, m_scope, SinkRows::LiveBelow, *m_options.boundary, false);
    StoredRow row;
    while (rows->next(row)) {
      if (++m_result.suspects % 1024 == 0 && m_stop.stop_requested()) throw Cancelled();
    }
  }

  /// Reads buckets row by row. `whole`: nothing is known of them yet, so that their digests and suspects count.
  void compareBuckets(const std::vector<std::size_t>& toStream, bool whole) {
    const CompareOptions options{whole ? m_options.boundary : std::nullopt, m_options.differencesKept, whole};
    std::atomic<std::uint64_t> rowsRead{0};
    const auto equip = [&]() -> CrewTask {
      const std::shared_ptr<Source> source = m_source.clone();
      const std::shared_ptr<Source> filtered = sinkKnowsFilter() ? nullptr : std::shared_ptr(m_source.clone());
      const std::shared_ptr<SinkReader> sink = m_sink.cloneReader();
      return [this, &toStream, &options, &rowsRead, whole, source, filtered, sink](std::size_t piece,
                                                                                   const std::stop_token& stop) {
        const std::size_t bucket = toStream[piece];
        BucketComparison comparison = compareOne(*source, filtered.get(), *sink, scopeOf(bucket), options, stop);
        if (whole) {
          m_result.buckets[bucket].source = comparison.source;
          m_result.buckets[bucket].sink = comparison.sink;
          rowsRead += comparison.source.rows;
        }
        m_collector.add(bucket, std::move(comparison));
      };
    };
    std::size_t pieces = 0;
    runCrews({{m_options.connections, equip}}, toStream.size(), m_stop, [&](std::size_t done) {
      pieces += done;
      m_meter.advance(rowsRead.exchange(0), "compared " + std::to_string(pieces) + " of " +
                                                std::to_string(toStream.size()) + " buckets row by row");
    });
  }

  BucketComparison compareOne(Source& source, Source* filtered, SinkReader& sink, const Scope& scope,
                              const CompareOptions& options, const std::stop_token& stop) const {
    const auto sinkRows = sink.rows(m_mapping, scope, SinkRows::Live, kNoPosition, true);
    if (filtered == nullptr) {
      return compareBucket(m_mapping, *source.rows(m_mapping, scope), *sinkRows, options, stop);
    }
    Scope range;
    range.range = scope.range;
    const auto sourceRows =
        markFilter(source.rows(m_mapping, range), filtered->rows(m_mapping, scope), m_mapping.keyKinds());
    return compareBucket(m_mapping, *sourceRows, *sinkRows, options, stop);
  }

  Source& m_source;
  SinkReader& m_sink;
  const TableMapping& m_mapping;
  const Scope& m_scope;
  const VerifyOptions& m_options;
  const std::stop_token m_stop;
  ProgressMeter& m_meter;
  Collector m_collector;
  FirstPassResult m_result;
};

}  // namespace

FirstPassResult firstPass(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
                          const VerifyOptions& options, std::stop_token stop, ProgressMeter& meter) {
  return FirstPass(source, sink, mapping, scope, options, std::move(stop), meter).run();
}

}  // namespace tidemark
