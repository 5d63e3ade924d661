#include "runbook/verification.h"

#include <thread>

#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/run_facts.h"

namespace tidemark::runbook {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookAgainAfter{50};
constexpr milliseconds kStandsStill{1000};
constexpr milliseconds kAtMost{30000};

void add(VerifyReport& total, const VerifyReport& part, std::size_t kept) {
  total.method = part.method;
  total.sourceRows += part.sourceRows;
  total.sinkLiveRows += part.sinkLiveRows;
  total.suspects += part.suspects;
  total.differingFirstPass += part.differingFirstPass;
  total.missing += part.missing;
  total.ghosts += part.ghosts;
  total.stale += part.stale;
  total.differentAtSamePosition += part.differentAtSamePosition;
  total.inFlight += part.inFlight;
  total.countedOnce += part.countedOnce;
  for (const Difference& each : part.differences) {
    if (total.differences.size() < kept) total.differences.push_back(each);
  }
  total.buckets.insert(total.buckets.end(), part.buckets.begin(), part.buckets.end());
  total.spotKeysEqual += part.spotKeysEqual;
  total.spotKeysDifferent += part.spotKeysDifferent;
  total.sourceDigest += (total.sourceDigest.empty() ? "" : "+") + part.sourceDigest;
  total.sinkDigest += (total.sinkDigest.empty() ? "" : "+") + part.sinkDigest;
}

}  // namespace

void letTheStreamCatchUp(Source& source, SinkReader& sink, const TableMapping& mapping, std::stop_token stop) {
  const std::int64_t target = source.newestPosition();
  const auto begun = steady_clock::now();
  auto lastMove = begun;
  auto last = sink.newestPosition(mapping);
  while (!stop.stop_requested() && steady_clock::now() - begun < kAtMost) {
    if (last && last->element[0] >= target) return;
    if (steady_clock::now() - lastMove >= kStandsStill) return;
    std::this_thread::sleep_for(kLookAgainAfter);
    const auto now = sink.newestPosition(mapping);
    if (now == last) continue;
    last = now;
    lastMove = steady_clock::now();
  }
}

VerifyReport verifyScope(StepContext& context) {
  VerifyOptions options;
  options.rowsPerBucket = context.profile().limits.rowsPerBucket;
  options.connections = context.profile().limits.verifyConnections;
  options.betweenPasses = [&context] {
    letTheStreamCatchUp(context.source(), context.reader(), context.mapping(), context.stopToken());
  };
  const auto run = [&](const Scope& scope) {
    return verify(context.source(), context.reader(), context.mapping(), scope, options, context.stopToken(),
                  context.progress());
  };
  if (!loadComplete(context.state())) return run(scopeOf(context.state()));
  VerifyReport total;
  for (const SegmentRecord& each : segmentsOf(context.state())) {
    options.boundary = each.segment.boundary.position;
    add(total, run(segmentScope(context.state(), each)), options.differencesKept);
  }
  return total;
}

std::string differencesJson(const VerifyReport& report) {
  return canonicalDump({{"missing", report.missing},
                        {"stale", report.stale + report.differentAtSamePosition},
                        {"ghost", report.ghosts}});
}

}  // namespace tidemark::runbook
