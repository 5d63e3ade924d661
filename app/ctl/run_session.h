#pragma once

#include <memory>
#include <stop_token>

#include "app/ctl/answers.h"
#include "app/ctl/exit_code.h"
#include "app/ctl/terminal.h"
#include "runbook/run_driver.h"

namespace tidemark::ctl {

/// Prints what a driver does: each step as it starts and ends, each gate as it is measured, and progress.
class RunPrinter final : public runbook::RunObserver {
 public:
  explicit RunPrinter(Terminal& terminal) : m_terminal(terminal) {}

  void stateChanged(const runbook::RunState& state) override;
  void gateMeasured(int step, const runbook::Gate& gate) override;
  void progressed(const Progress& progress) override { m_terminal.report(progress); }
  bool waitingFor(const std::vector<Blocker>& blockers, std::chrono::milliseconds waited) override;

 private:
  Terminal& m_terminal;
  bool m_baseline = false;
  std::array<runbook::StepStatus, runbook::kSteps> m_shown{};
  std::map<std::string, runbook::GateResult> m_gates;
  BoundaryObserver m_boundaryWatch;
};

/// Walks the driver as far as the answers go and prints how it ended.
ExitCode driveRun(runbook::RunDriver& driver, runbook::AnswerSource& answers, Terminal& terminal, std::stop_token stop,
                  runbook::WalkResult* result = nullptr);

/// The run as one JSON document: id, phase, steps, where it stopped and why.
std::string runJson(const runbook::RunState& state, const runbook::WalkResult& result);
/// The same for a run that an error ended, with the error; "end" is then "failed".
std::string failedRunJson(const runbook::RunState& state, const Error& error);

}  // namespace tidemark::ctl
