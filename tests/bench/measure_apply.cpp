#include <algorithm>
#include <atomic>
#include <barrier>
#include <stdexcept>
#include <thread>

#include "engine/apply/sink.h"
#include "engine/postgres/postgres_sink.h"
#include "tests/bench/measure.h"

namespace tidemark::bench {

namespace {

constexpr std::size_t kBatch = 10000;
constexpr std::size_t kBatchesARound = 10;  // Made before the clock runs: decoding is no part of what is measured.
constexpr std::uint64_t kMostChanges = 1000000;

enum class Stream { NewKeys, Updates, Stale };

const char* nameOf(Stream stream) {
  return stream == Stream::NewKeys ? "new keys" : stream == Stream::Updates ? "updates" : "stale";
}

/// A number that every bit of the key has a say in.
std::uint64_t hashOf(std::uint64_t key) {
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebULL;
  return key ^ (key >> 31);
}

/// The changes of one worker: those keys whose hash falls to it. New keys ascend; updates and stale changes hit every
/// key of the table at most once, in an order that jumps about.
class WorkerStream {
 public:
  WorkerStream(const BenchWorld& world, Stream stream, std::uint64_t changes, std::size_t worker, std::size_t workers)
      : m_stream(stream), m_rows(world.rows()), m_changes(changes), m_worker(worker), m_workers(workers) {}

  std::vector<Change> nextBatch() {
    std::vector<Change> batch;
    batch.reserve(kBatch);
    while (batch.size() < kBatch && m_at < m_changes) {
      const std::uint64_t key = keyAt(m_at++);
      if (hashOf(key) % m_workers == m_worker) batch.push_back(orderChange(key, position()));
    }
    return batch;
  }

 private:
  std::uint64_t keyAt(std::uint64_t index) const {
    constexpr std::uint64_t kStride = 2654435761;  // A prime: steps through all keys before it meets one again.
    return m_stream == Stream::NewKeys ? m_rows + 1 + index : 1 + index * kStride % m_rows;
  }
  std::int64_t position() const { return m_stream == Stream::Stale ? kStoredPosition - 1 : kStoredPosition + 1; }

  Stream m_stream;
  std::uint64_t m_rows;
  std::uint64_t m_changes;
  std::size_t m_worker;
  std::size_t m_workers;
  std::uint64_t m_at = 0;
};

/// Lets workers make their batches together and apply them together; only applying is timed.
class ApplyRun {
 public:
  ApplyRun(const BenchWorld& world, Stream stream, std::size_t workers)
      : m_world(world),
        m_stream(stream),
        m_changes(std::min(world.rows(), kMostChanges)),
        m_workers(workers),
        m_start(static_cast<std::ptrdiff_t>(workers)),
        m_ready(static_cast<std::ptrdiff_t>(workers), Begin{*this}),
        m_done(static_cast<std::ptrdiff_t>(workers), End{*this}),
        m_counts(workers) {}

  double changesPerSecond() {
    {
      std::vector<std::jthread> threads;
      for (std::size_t worker = 0; worker < m_workers; ++worker) {
        threads.emplace_back([this, worker] { work(worker); });
      }
    }
    if (m_failed) throw std::runtime_error("apply failed");
    ApplyCounts total;
    for (const ApplyCounts& counts : m_counts) total += counts;
    const std::uint64_t right = m_stream == Stream::NewKeys   ? total.inserted
                                : m_stream == Stream::Updates ? total.updated
                                                              : total.skippedOlder;
    if (right != m_changes) throw std::runtime_error("apply did not do what it was measured at");
    return static_cast<double>(m_changes) / m_seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Begin {
    ApplyRun& run;
    void operator()() noexcept { run.m_from = Clock::now(); }
  };
  struct End {
    ApplyRun& run;
    void operator()() noexcept {
      run.m_seconds += std::chrono::duration<double>(Clock::now() - run.m_from).count();
      run.m_more = run.m_moreBatches.exchange(false);
    }
  };

  void work(std::size_t worker) {
    std::unique_ptr<Sink> sink;
    try {
      sink = openPostgresSink(m_world.sink());
    } catch (const std::exception& error) {
      fail(error);
    }
    WorkerStream changes(m_world, m_stream, m_changes, worker, m_workers);
    m_start.arrive_and_wait();
    while (true) {
      std::vector<std::vector<Change>> round;
      while (round.size() < kBatchesARound) {
        round.push_back(changes.nextBatch());
        if (round.back().size() < kBatch) break;
      }
      if (round.back().size() == kBatch && !m_failed) m_moreBatches = true;
      m_ready.arrive_and_wait();
      for (const std::vector<Change>& batch : round) apply(sink.get(), batch, m_counts[worker]);
      m_done.arrive_and_wait();
      if (!m_more) return;
    }
  }

  void apply(Sink* sink, const std::vector<Change>& batch, ApplyCounts& counts) {
    if (m_failed) return;
    try {
      counts += sink->apply(m_world.mapping(), batch).counts;
    } catch (const std::exception& error) {
      fail(error);
    }
  }

  void fail(const std::exception& error) {
    m_failed = true;
    std::fprintf(stderr, "apply: %s\n", error.what());
  }

  const BenchWorld& m_world;
  const Stream m_stream;
  const std::uint64_t m_changes;
  const std::size_t m_workers;
  std::barrier<> m_start;
  std::barrier<Begin> m_ready;
  std::barrier<End> m_done;
  std::vector<ApplyCounts> m_counts;
  Clock::time_point m_from;
  double m_seconds = 0;
  std::atomic<bool> m_moreBatches{false};
  std::atomic<bool> m_failed{false};
  bool m_more = true;
};

/// Puts the table back to what it was before the stream.
void restore(const BenchWorld& world, Stream stream) {
  if (stream == Stream::Updates) world.fillSink();
  if (stream == Stream::NewKeys) {
    world.sinkSql("DELETE FROM orders WHERE id > " + std::to_string(world.rows()));
  }
  world.settleSink();
}

}  // namespace

std::vector<Figure> measureApply(const BenchWorld& world) {
  struct Aim {
    Stream stream;
    double ratio;
  };
  std::vector<Figure> figures;
  world.fillSink();
  for (const Aim aim : {Aim{Stream::Stale, 1.0}, Aim{Stream::NewKeys, 0.9}, Aim{Stream::Updates, 0.5}}) {
    for (const std::size_t workers : {std::size_t{1}, std::size_t{2}}) {
      std::vector<double> speeds;
      for (int repeat = 0; repeat < (workers == 2 ? world.repeats() : 1); ++repeat) {
        speeds.push_back(ApplyRun(world, aim.stream, workers).changesPerSecond());
        restore(world, aim.stream);
      }
      figures.push_back({.part = "apply",
                         .what = std::string(nameOf(aim.stream)) + (workers == 1 ? ", one worker" : ", two workers"),
                         .value = median(speeds),
                         .yardstick = Figure::Yardstick::Copy,
                         .aim = workers == 2 ? aim.ratio : 0});
    }
  }
  return figures;
}

}  // namespace tidemark::bench
