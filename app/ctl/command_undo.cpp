#include <nlohmann/json.hpp>

#include "app/ctl/commands.h"
#include "app/ctl/run_session.h"
#include "app/wiring/adapter_environment.h"
#include "runbook/run_event.h"

namespace tidemark::ctl {

ExitCode undoCommand(const Options& options, Terminal& terminal, std::stop_token) {
  app::AdapterEnvironment environment;
  RunPrinter printer(terminal);
  const auto folder = options.runs.empty() ? app::defaultRunFolder() : options.runs;
  const auto driver = runbook::RunDriver::open(environment, folder, options.run, &printer);
  const std::string table = driver->banner().sinkTable;
  auto typed = options.confirm;
  if (typed.empty() && terminal.interactive()) {
    terminal.note("Rows that the sweep of this run marked as deleted become live again in " + table + ".");
    typed = terminal.ask("Type '" + table + "' to put them back").value_or("");
  }
  if (typed != table) {
    throw Error("undo.confirmation", "the sweep was not undone: the table's name was not typed",
                {"Give --confirm '" + table + "'.", {}, {}});
  }
  // Typed again after an interruption, the name is the answer whether to go on: undoing again is harmless.
  const auto interrupted = driver->state().interrupted;
  if (interrupted && interrupted->action == runbook::kUndoAction) driver->acceptInterrupted();
  driver->arm();
  const UndoResult result = driver->undoSweep();
  terminal.say("put back " + grouped(result.restored) + " rows as they were; read " +
               grouped(result.changedSince.size()) +
               " again from the source: they have changed since, or the stream has not passed the boundary");
  if (terminal.json()) {
    terminal.document(
        nlohmann::ordered_json{{"run", options.run}, {"restored", result.restored}, {"read_again", result.changedSince}}
            .dump(2));
  }
  return ExitCode::Passed;
}

}  // namespace tidemark::ctl
