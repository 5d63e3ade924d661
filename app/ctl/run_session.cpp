#include "app/ctl/run_session.h"

#include <nlohmann/json.hpp>

#include "app/ctl/boundary_watch.h"
#include "runbook/report.h"
#include "runbook/step.h"

namespace tidemark::ctl {

namespace {

using nlohmann::ordered_json;
using runbook::GateResult;
using runbook::StepStatus;
using runbook::WalkEnd;

/// The words of the JSON results: a step is passed, does not apply, failed, or was not reached.
std::string stepResult(const runbook::StepState& step) {
  switch (step.status) {
    case StepStatus::Done:
      return "passed";
    case StepStatus::Skipped:
      return "does_not_apply";
    case StepStatus::Failed:
      return "failed";
    case StepStatus::Pending:
    case StepStatus::Running:
      return "not_finished";
  }
  return "not_finished";
}

const char* endWord(WalkEnd end) {
  switch (end) {
    case WalkEnd::Finished:
      return "finished";
    case WalkEnd::GateShut:
      return "gate_shut";
    case WalkEnd::AnswerMissing:
      return "answer_missing";
    case WalkEnd::NotArmed:
      return "not_armed";
    case WalkEnd::ActionRefused:
      return "action_refused";
  }
  return "failed";
}

const runbook::StepInfo& info(int step) {
  return runbook::stepInfos().at(static_cast<std::size_t>(step - 1));
}

}  // namespace

void RunPrinter::stateChanged(const runbook::RunState& state) {
  // What was done before this program opened the run is not news.
  if (!m_baseline) {
    m_baseline = true;
    for (const auto& step : state.steps) m_shown.at(static_cast<std::size_t>(step.number - 1)) = step.status;
    if (!state.planFrozen() && state.currentStep() == 1) return;
    m_terminal.note("run " + state.runId + " stands at step " + std::to_string(state.currentStep()) + " " +
                    info(state.currentStep()).title);
    return;
  }
  for (const auto& step : state.steps) {
    auto& shown = m_shown.at(static_cast<std::size_t>(step.number - 1));
    if (shown == step.status) continue;
    shown = step.status;
    const std::string heading = "step " + std::to_string(step.number) + " " + info(step.number).title;
    switch (step.status) {
      case StepStatus::Running:
        m_terminal.note(heading);
        break;
      case StepStatus::Done:
        m_terminal.note(heading + ": done");
        break;
      case StepStatus::Skipped:
        m_terminal.note(heading + ": does not apply, " + step.skippedBecause);
        break;
      case StepStatus::Failed:
        m_terminal.note(heading + ": failed");
        break;
      case StepStatus::Pending:
        break;
    }
  }
}

void RunPrinter::gateMeasured(int step, const runbook::Gate& gate) {
  // A gate is measured again before each write: print it once, and again only when its result changes.
  const std::string id = std::to_string(step) + "/" + gate.id;
  const auto known = m_gates.find(id);
  if (known != m_gates.end() && known->second == gate.result) return;
  m_gates[id] = gate.result;
  std::string line = "  " + std::string(runbook::resultName(gate.result));
  line.resize(18, ' ');
  line += gate.title;
  if (!gate.measured.empty()) line += ": " + gate.measured + (gate.unit.empty() ? "" : " " + gate.unit);
  if (!gate.limit.empty()) line += " (limit " + gate.limit + ")";
  m_terminal.note(line);
  if (gate.result != GateResult::Pass && !gate.hint.empty()) m_terminal.note("                  " + gate.hint);
}

bool RunPrinter::waitingFor(const std::vector<Blocker>& blockers, std::chrono::milliseconds waited) {
  if (!m_boundaryWatch) m_boundaryWatch = boundaryWatch(m_terminal);
  return m_boundaryWatch(blockers, waited);
}

namespace {

ordered_json runDocument(const runbook::RunState& state, const runbook::WalkResult& result) {
  ordered_json steps = ordered_json::array();
  for (const auto& step : state.steps) {
    steps.push_back({{"number", step.number}, {"name", info(step.number).title}, {"result", stepResult(step)}});
  }
  ordered_json obstacles = ordered_json::array();
  for (const auto& obstacle : result.obstacles) {
    obstacles.push_back({{"text", obstacle.text},
                         {"gate", obstacle.gate},
                         {"question", obstacle.question},
                         {"action", obstacle.action}});
  }
  ordered_json document{{"run", state.runId},         {"phase", runbook::phaseName(state.phase)},
                        {"end", endWord(result.end)}, {"stopped_at", result.step},
                        {"obstacles", obstacles},     {"steps", steps}};
  for (const auto* side : {"differences_before", "differences_after"}) {
    for (const auto& step : state.steps) {
      const std::string fact = step.fact(side);
      if (!fact.empty()) document[side] = ordered_json::parse(fact);
    }
  }
  return document;
}

}  // namespace

std::string runJson(const runbook::RunState& state, const runbook::WalkResult& result) {
  return runDocument(state, result).dump(2);
}

std::string failedRunJson(const runbook::RunState& state, const Error& error) {
  runbook::WalkResult result;
  result.step = state.currentStep();
  ordered_json document = runDocument(state, result);
  document["end"] = "failed";
  document["error"] = ordered_json::parse(errorJson(error));
  return document.dump(2);
}

ExitCode driveRun(runbook::RunDriver& driver, runbook::AnswerSource& answers, Terminal& terminal, std::stop_token stop,
                  runbook::WalkResult* result) {
  std::stop_callback onStop(stop, [&driver] { driver.requestStop(); });
  const runbook::WalkResult walked = runbook::walk(driver, answers, stop);
  if (result != nullptr) *result = walked;
  terminal.endProgress();
  if (walked.end == WalkEnd::Finished) {
    const auto page = runbook::writeReports(runbook::buildReport(driver.journal()), driver.runFolder());
    terminal.note("run " + driver.state().runId + " finished; its report: " + page.string());
    return ExitCode::Passed;
  }
  terminal.note("run " + driver.state().runId + " stopped at step " + std::to_string(walked.step) + " " +
                info(walked.step).title + ":");
  for (const auto& obstacle : walked.obstacles) terminal.note("  " + obstacle.text);
  terminal.note("go on with: tidemarkctl resume " + driver.state().runId);
  return ExitCode::GateShut;
}

}  // namespace tidemark::ctl
