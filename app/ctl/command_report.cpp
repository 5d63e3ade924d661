#include "app/ctl/commands.h"
#include "app/wiring/adapter_environment.h"
#include "runbook/report.h"
#include "runbook/run_driver.h"

namespace tidemark::ctl {

ExitCode reportCommand(const Options& options, Terminal& terminal, std::stop_token) {
  const auto folder = options.runs.empty() ? app::defaultRunFolder() : options.runs;
  const auto journal =
      runbook::Journal::open(runbook::journalFile(folder, options.run), runbook::Journal::Access::ReadOnly);
  const auto report = runbook::buildReport(*journal);
  if (!options.html.empty()) {
    runbook::writeReport(report, options.html);
    terminal.note("wrote " + options.html.string());
  }
  std::string json = runbook::reportJson(report);
  while (!json.empty() && json.back() == '\n') json.pop_back();
  if (options.html.empty() || terminal.json()) terminal.document(json);
  return ExitCode::Passed;
}

}  // namespace tidemark::ctl
