#include "runbook/segment_record.h"

#include "runbook/codec.h"

namespace tidemark::runbook {

namespace {
constexpr int kLoadStep = 9;
}

std::vector<SegmentRecord> segmentsOf(const RunState& run) {
  std::vector<SegmentRecord> result;
  const StepState& step = run.step(kLoadStep);
  for (int number = 1;; ++number) {
    const std::string fact = step.fact("segment." + std::to_string(number));
    if (fact.empty()) return result;
    result.push_back(decodeSegmentRecord(fact));
  }
}

std::optional<KeyRange> leftToLoad(const KeyRange& whole, const std::vector<SegmentRecord>& segments) {
  std::optional<KeyRange> left = whole;
  for (const SegmentRecord& each : segments) {
    if (!each.segment.closed || !left) continue;
    left = rangeAfter(*left, each.segment, each.segment.complete);
  }
  return left;
}

}  // namespace tidemark::runbook
