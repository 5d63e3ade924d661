#include <nlohmann/json.hpp>

#include "app/ctl/commands.h"
#include "app/wiring/adapter_environment.h"
#include "runbook/run_driver.h"

namespace tidemark::ctl {

using nlohmann::ordered_json;

ExitCode runsCommand(const Options& options, Terminal& terminal, std::stop_token) {
  const auto folder = options.runs.empty() ? app::defaultRunFolder() : options.runs;
  ordered_json document = ordered_json::array();
  const auto runs = runbook::listRuns(folder);
  for (const auto& run : runs) {
    std::string line = run.runId + "  " + std::string(runbook::phaseName(run.phase)) + ", step " +
                       std::to_string(run.currentStep) + ", " + run.profileName + " (" + run.environment + "), begun " +
                       run.createdAt + " by " + run.createdBy;
    if (run.interrupted) line += ", interrupted";
    if (!run.lockedBy.empty()) line += ", driven by " + run.lockedBy;
    if (!run.problem.empty()) line = run.runId + "  cannot be read: " + run.problem;
    terminal.say(line);
    document.push_back({{"run", run.runId},
                        {"phase", runbook::phaseName(run.phase)},
                        {"step", run.currentStep},
                        {"profile", run.profileName},
                        {"environment", run.environment},
                        {"created_at", run.createdAt},
                        {"created_by", run.createdBy},
                        {"interrupted", run.interrupted},
                        {"driven_by", run.lockedBy},
                        {"problem", run.problem}});
  }
  if (runs.empty()) terminal.say("No runs in " + folder.string());
  if (terminal.json()) terminal.document(ordered_json{{"runs", document}}.dump(2));
  return ExitCode::Passed;
}

}  // namespace tidemark::ctl
