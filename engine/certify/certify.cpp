#include "engine/certify/certify.h"

#include <algorithm>
#include <map>

#include "engine/certify/certify_log.h"
#include "engine/core/error.h"

namespace tidemark {

namespace {

using certify_log::Delivery;
using certify_log::RandomLog;

using State = std::vector<CertifyRow>;

Change changeOf(const CertifyEvent& event) {
  Change change;
  change.key = {std::to_string(event.world), std::to_string(event.id)};
  change.deleted = event.deleted;
  if (!event.deleted) change.payload = {event.value ? Cell::of(*event.value) : Cell::null()};
  change.isRead = event.position < 0;
  change.lsn = event.position;
  change.position = Position{{event.position, 0, 0}};
  return change;
}

/// The scratch table's life: dropped whatever happens in between.
class Scratch {
 public:
  explicit Scratch(CertifyDialect& dialect) : m_dialect(dialect) { m_dialect.createScratch(); }
  ~Scratch() {
    if (!m_there) return;
    try {
      m_dialect.dropScratch();
    } catch (const Error&) {
      // An error is under way already; dropLeftovers finds the table later.
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void drop() {
    m_dialect.dropScratch();
    m_there = false;
  }

 private:
  CertifyDialect& m_dialect;
  bool m_there = true;
};

/// Runs the six experiments on one sink.
class Experiments {
 public:
  Experiments(CertifyDialect& dialect, CertifiedSink sink, std::stop_token stop, ProgressMeter& meter)
      : m_dialect(dialect), m_sink(sink), m_stop(std::move(stop)), m_meter(meter) {}

  SinkCertificate run() {
    SinkCertificate result;
    result.name = certifiedSinkName(m_sink);
    sameBatchAndReplay(result);
    result.lateUpdateAfterDelete = staysDeleted();
    done("late update after delete");
    result.shufflesThatDiffer = shufflesThatDiffer();
    done("shuffles");
    randomLogs(result);
    done("random logs");
    result.ordersThatDiffer = ordersThatDiffer();
    done("orders");
    return result;
  }

 private:
  void done(const std::string& experiment) {
    m_meter.advance(1, std::string(certifiedSinkName(m_sink)) + ": " + experiment);
  }

  void apply(const std::vector<CertifyEvent>& batch) {
    if (m_stop.stop_requested()) throw Cancelled();
    if (m_sink != CertifiedSink::Guarded) {
      m_dialect.applyBroken(m_sink, batch);
      return;
    }
    std::vector<Change> changes;
    changes.reserve(batch.size());
    for (const CertifyEvent& event : batch) changes.push_back(changeOf(event));
    m_dialect.sink().apply(m_dialect.scratchMapping(), changes);
  }

  /// Delivers each list one event at a time, each in a world of its own: batch i holds the i-th event of every world.
  std::map<std::int64_t, State> deliverApart(const std::vector<Delivery>& deliveries) {
    m_dialect.clearScratch();
    std::size_t longest = 0;
    for (const Delivery& delivery : deliveries) longest = std::max(longest, delivery.size());
    for (std::size_t step = 0; step < longest; ++step) {
      std::vector<CertifyEvent> batch;
      for (std::size_t world = 0; world < deliveries.size(); ++world) {
        if (step >= deliveries[world].size()) continue;
        batch.push_back(deliveries[world][step]);
        batch.back().world = static_cast<std::int64_t>(world);
      }
      apply(batch);
    }
    std::map<std::int64_t, State> worlds;
    for (CertifyRow& row : m_dialect.readState()) {
      const std::int64_t world = row.world;
      row.world = 0;
      worlds[world].push_back(std::move(row));
    }
    return worlds;
  }

  void sameBatchAndReplay(SinkCertificate& result) {
    m_dialect.clearScratch();
    apply(certify_log::tenEvents());
    const State once = m_dialect.readState();
    apply(certify_log::tenEvents());
    result.sameBatchTwice = once == certify_log::expectedState() && m_dialect.readState() == once;
    done("same batch twice");
    // On the table as it stands: a replay meets what the first delivery left.
    for (const CertifyEvent& event : certify_log::tenEvents()) apply({event});
    result.replayOneByOne = m_dialect.readState() == certify_log::expectedState();
    done("replay one by one");
  }

  bool staysDeleted() {
    const State state = deliverApart({certify_log::lateUpdateAfterDelete()})[0];
    return std::ranges::none_of(state, [](const CertifyRow& row) { return !row.deleted; });
  }

  /// How many of the deliveries after the first end unlike the first.
  std::uint64_t unlikeTheFirst(const std::vector<Delivery>& deliveries) {
    std::map<std::int64_t, State> worlds = deliverApart(deliveries);
    const State reference = worlds[0];
    std::uint64_t differ = 0;
    for (std::size_t world = 1; world < deliveries.size(); ++world) {
      if (worlds[static_cast<std::int64_t>(world)] != reference) ++differ;
    }
    return differ;
  }

  std::uint64_t shufflesThatDiffer() {
    std::vector<Delivery> deliveries{certify_log::inLogOrder()};
    for (int seed = 1; seed <= static_cast<int>(kCertifyShuffles); ++seed) {
      deliveries.push_back(certify_log::shuffled(seed));
    }
    return unlikeTheFirst(deliveries);
  }

  std::uint64_t ordersThatDiffer() {
    // The first order is that of the log. It stands in the list a second time, so that it is counted like the others.
    std::vector<Delivery> deliveries = certify_log::everyOrder();
    deliveries.insert(deliveries.begin(), deliveries.front());
    return unlikeTheFirst(deliveries);
  }

  /// For each pair of log and delivery: whether it ends with other visible rows than the log demands.
  std::vector<bool> failing(const std::vector<RandomLog>& logs) {
    std::vector<Delivery> deliveries;
    for (const RandomLog& log : logs) deliveries.push_back(log.delivered);
    std::map<std::int64_t, State> worlds = deliverApart(deliveries);
    std::vector<bool> result;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      std::vector<std::pair<std::int64_t, std::string>> visible;
      for (const CertifyRow& row : worlds[static_cast<std::int64_t>(i)]) {
        if (!row.deleted) visible.emplace_back(row.id, row.value.value_or(""));
      }
      result.push_back(visible != certify_log::visibleAfter(logs[i].log));
    }
    return result;
  }

  void randomLogs(SinkCertificate& result) {
    std::vector<RandomLog> logs;
    for (std::uint32_t seed = 1; seed <= kCertifyRandomLogs; ++seed) logs.push_back(certify_log::randomLog(seed));
    const std::vector<bool> failed = failing(logs);
    result.randomLogsThatFail = static_cast<std::uint64_t>(std::ranges::count(failed, true));
    const auto first = std::ranges::find(failed, true);
    if (first == failed.end()) return;
    const RandomLog& log = logs[static_cast<std::size_t>(first - failed.begin())];
    result.smallest = Counterexample{log.seed, shrink(log)};
  }

  /// Drops one event at a time while the delivery still fails. All candidates of a round are tried at once.
  Delivery shrink(RandomLog current) {
    while (current.delivered.size() > 1) {
      std::vector<RandomLog> candidates;
      for (std::size_t dropped = 0; dropped < current.delivered.size(); ++dropped) {
        RandomLog candidate = current;
        candidate.delivered.erase(candidate.delivered.begin() + static_cast<std::ptrdiff_t>(dropped));
        // A change that is not delivered at all is not in the log either.
        std::erase_if(candidate.log, [&](const CertifyEvent& event) {
          return std::ranges::find(candidate.delivered, event) == candidate.delivered.end();
        });
        candidates.push_back(std::move(candidate));
      }
      const std::vector<bool> failed = failing(candidates);
      const auto first = std::ranges::find(failed, true);
      if (first == failed.end()) break;
      current = std::move(candidates[static_cast<std::size_t>(first - failed.begin())]);
    }
    return current.delivered;
  }

  CertifyDialect& m_dialect;
  CertifiedSink m_sink;
  std::stop_token m_stop;
  ProgressMeter& m_meter;
};

constexpr std::uint64_t kExperiments = 6;

}  // namespace

std::string_view certifiedSinkName(CertifiedSink sink) {
  switch (sink) {
    case CertifiedSink::Guarded:
      return "guarded";
    case CertifiedSink::NoGuard:
      return "no_guard";
    case CertifiedSink::NewestTimestamp:
      return "newest_timestamp";
    case CertifiedSink::NewestTimestampStrict:
      return "newest_timestamp_strict";
    case CertifiedSink::PhysicalDelete:
      return "physical_delete";
  }
  return "unknown";
}

bool Certificate::passed() const {
  if (sinks.size() != kCertifiedSinks.size() || !sinks.front().clean()) return false;
  return std::ranges::none_of(sinks.begin() + 1, sinks.end(), [](const SinkCertificate& s) { return s.clean(); });
}

Certificate certify(CertifyDialect& dialect, std::stop_token stop, ProgressSink& progress) {
  ProgressMeter meter(progress, "certify", kExperiments * kCertifiedSinks.size());
  Certificate certificate;
  Scratch scratch(dialect);
  for (const CertifiedSink sink : kCertifiedSinks) {
    certificate.sinks.push_back(Experiments(dialect, sink, stop, meter).run());
  }
  scratch.drop();
  meter.finish();
  return certificate;
}

}  // namespace tidemark
