#include <nlohmann/json.hpp>

#include "app/ctl/commands.h"
#include "app/ctl/run_session.h"
#include "app/wiring/adapter_environment.h"

namespace tidemark::ctl {

namespace {

std::unique_ptr<runbook::AnswerSource> answersOf(const Options& options, Terminal& terminal) {
  if (!options.answers.empty()) return std::make_unique<FileAnswers>(options.answers);
  if (!terminal.interactive()) {
    throw Error("answers.none", "there is no terminal to ask at, and no answers file was given",
                {"Give --answers FILE, or run it in a terminal.", {}, {}});
  }
  return std::make_unique<TerminalAnswers>(terminal);
}

ExitCode drive(runbook::RunDriver& driver, runbook::AnswerSource& answers, Terminal& terminal, std::stop_token stop) {
  runbook::WalkResult result;
  ExitCode code = ExitCode::Failure;
  try {
    code = driveRun(driver, answers, terminal, stop, &result);
  } catch (const Error& error) {
    if (terminal.json()) terminal.document(failedRunJson(driver.state(), error));
    throw;
  }
  if (terminal.json()) {
    terminal.document(runJson(driver.state(), result));
  } else {
    terminal.say(driver.state().runId);
  }
  return code;
}

ExitCode abandon(runbook::RunDriver& driver, const Options& options, Terminal& terminal) {
  driver.abandon(options.abandon);
  terminal.say("run " + options.run + " is abandoned; what it wrote stays, and its table is free");
  if (terminal.json()) {
    terminal.document(nlohmann::ordered_json{{"run", options.run}, {"phase", "abandoned"}}.dump(2));
  }
  return ExitCode::Passed;
}

}  // namespace

ExitCode runCommand(const Options& options, Terminal& terminal, std::stop_token stop) {
  const auto profile = runbook::loadProfile(options.profile);
  // Before the run exists: an answers file that cannot be read must leave nothing behind.
  const auto answers = answersOf(options, terminal);
  app::AdapterEnvironment environment;
  RunPrinter printer(terminal);
  runbook::DriverOptions driverOptions;
  driverOptions.dryRun = options.dryRun;
  const auto folder = options.runs.empty() ? app::defaultRunFolder() : options.runs;
  const auto driver = runbook::RunDriver::create(environment, profile, folder, &printer, driverOptions);
  terminal.note("run " + driver->state().runId + " in " + driver->runFolder().string());
  return drive(*driver, *answers, terminal, stop);
}

ExitCode resumeCommand(const Options& options, Terminal& terminal, std::stop_token stop) {
  const auto answers = options.abandon.empty() ? answersOf(options, terminal) : nullptr;
  app::AdapterEnvironment environment;
  RunPrinter printer(terminal);
  const auto folder = options.runs.empty() ? app::defaultRunFolder() : options.runs;
  const auto driver = runbook::RunDriver::open(environment, folder, options.run, &printer);
  if (!options.abandon.empty()) return abandon(*driver, options, terminal);
  return drive(*driver, *answers, terminal, stop);
}

}  // namespace tidemark::ctl
