#include "runbook/run_state.h"

#include <algorithm>

#include "runbook/clock.h"

namespace tidemark::runbook {

std::string_view statusName(StepStatus status) {
  switch (status) {
    case StepStatus::Pending:
      return "pending";
    case StepStatus::Running:
      return "running";
    case StepStatus::Done:
      return "done";
    case StepStatus::Skipped:
      return "skipped";
    case StepStatus::Failed:
      return "failed";
  }
  return {};
}

std::string_view resultName(GateResult result) {
  switch (result) {
    case GateResult::Pass:
      return "pass";
    case GateResult::Warn:
      return "warn";
    case GateResult::Fail:
      return "fail";
    case GateResult::Unknown:
      return "unknown";
    case GateResult::Stale:
      return "stale";
    case GateResult::DoesNotApply:
      return "does_not_apply";
  }
  return {};
}

std::string_view phaseName(RunPhase phase) {
  switch (phase) {
    case RunPhase::Open:
      return "open";
    case RunPhase::Finished:
      return "finished";
    case RunPhase::Abandoned:
      return "abandoned";
  }
  return {};
}

bool Gate::open() const {
  if (result == GateResult::Pass || result == GateResult::DoesNotApply) return true;
  return result == GateResult::Warn && (!waivable || waiver.has_value());
}

Gate gateAt(const Gate& gate, const std::string& now) {
  Gate result = gate;
  const bool ages = gate.validForSeconds > 0 && gate.result != GateResult::Unknown;
  if (ages && secondsBetween(gate.measuredAt, now) > gate.validForSeconds) result.result = GateResult::Stale;
  return result;
}

const Gate* StepState::gate(const std::string& gateId) const {
  const auto found = std::find_if(gates.begin(), gates.end(), [&](const Gate& each) { return each.id == gateId; });
  return found == gates.end() ? nullptr : &*found;
}

std::string StepState::answer(const std::string& questionId) const {
  const auto found = answers.find(questionId);
  return found == answers.end() ? std::string() : found->second.value;
}

std::string StepState::fact(const std::string& name) const {
  const auto found = evidence.find(name);
  return found == evidence.end() ? std::string() : found->second;
}

int RunState::currentStep() const {
  for (const StepState& each : steps) {
    if (each.status != StepStatus::Done && each.status != StepStatus::Skipped) return each.number;
  }
  return kSteps;
}

std::vector<std::pair<int, Gate>> RunState::waivedGates() const {
  std::vector<std::pair<int, Gate>> result;
  for (const StepState& each : steps) {
    for (const Gate& gate : each.gates) {
      if (gate.waiver) result.emplace_back(each.number, gate);
    }
  }
  return result;
}

RunState emptyRun() {
  // In the order of the runbook: journals and answers files refer to these words.
  static constexpr std::array<const char*, kSteps> kIds{"scope",    "sink",   "rehearse", "log",         "choose",
                                                        "boundary", "sample", "pace",     "run",         "drained",
                                                        "sweep",    "verify", "put_back", "purge_bound", "lineage"};
  RunState run;
  for (int number = 1; number <= kSteps; ++number) {
    run.step(number).number = number;
    run.step(number).id = kIds.at(static_cast<std::size_t>(number - 1));
  }
  return run;
}

}  // namespace tidemark::runbook
