#include "runbook/run_facts.h"

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/codec.h"
#include "runbook/text.h"

namespace tidemark::runbook {

Scope scopeOf(const RunState& run) {
  const std::string fact = run.step(1).fact("scope");
  if (fact.empty()) {
    throw Error("run.no_scope", text("The scope has not been measured yet."),
                {.hint = text("Go through step 1 first.")});
  }
  return decodeScope(fact);
}

std::optional<Boundary> boundaryOf(const RunState& run) {
  const std::string fact = run.step(6).fact("boundary");
  if (fact.empty()) return {};
  return decodeBoundary(fact);
}

bool loadComplete(const RunState& run) {
  const auto segments = segmentsOf(run);
  if (segments.empty()) return false;
  for (const SegmentRecord& each : segments) {
    if (!each.segment.closed) return false;
  }
  return !leftToLoad(scopeOf(run).range, segments);
}

Scope segmentScope(const RunState& run, const SegmentRecord& segment) {
  Scope scope = scopeOf(run);
  scope.range = segment.segment.range;
  return scope;
}

Pace paceOf(const RunState& run, const Profile& profile) {
  Pace pace = profile.limits.pace();
  const StepState& step = run.step(8);
  const auto number = [&](const char* question, auto otherwise) {
    const std::string value = step.answer(question);
    return value.empty() ? otherwise : static_cast<decltype(otherwise)>(std::stoull(value));
  };
  pace.batchRows = std::max<std::size_t>(1, number("batch_rows", pace.batchRows));
  pace.rowsPerSecond = number("rows_per_second", pace.rowsPerSecond);
  pace.maximumSinkLatency = std::chrono::milliseconds(
      number("maximum_sink_latency_ms", static_cast<std::int64_t>(pace.maximumSinkLatency.count())));
  pace.longestPause =
      std::chrono::seconds(number("longest_pause_seconds", static_cast<std::int64_t>(pace.longestPause.count())));
  return pace;
}

std::int64_t stampedUpTo(const RunState& run) {
  std::int64_t result = 0;
  for (const StepState& step : run.steps) {
    const std::string fact = step.fact("read_again");
    if (!fact.empty()) result = std::max(result, nlohmann::json::parse(fact).at("settled").get<std::int64_t>());
  }
  return result;
}

std::uint64_t numberIn(const std::string& json, const std::string& name) {
  if (json.empty()) return 0;
  return nlohmann::json::parse(json).value(name, std::uint64_t{0});
}

bool flagged(const StepState& step, const std::string& fact) {
  return step.fact(fact) == "true";
}

}  // namespace tidemark::runbook
