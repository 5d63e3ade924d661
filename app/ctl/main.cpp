// tidemarkctl: the runbook without a screen. The command line is read here and nowhere else.
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <thread>

#include <CLI/CLI.hpp>
#include <QCoreApplication>

#include "app/ctl/commands.h"

namespace tidemark::ctl {

namespace {

using Command = std::function<ExitCode(const Options&, Terminal&, std::stop_token)>;

const std::map<std::string, Command> kCommands{
    {"run", runCommand},       {"resume", resumeCommand}, {"runs", runsCommand},      {"undo", undoCommand},
    {"check", checkCommand},   {"sweep", sweepCommand},   {"verify", verifyCommand},  {"apply", applyCommand},
    {"report", reportCommand}, {"demo", demoCommand},     {"certify", certifyCommand}};

void needsProfile(CLI::App& command, Options& options) {
  command.add_option("--profile", options.profile, "Profile (JSON) that names source, sink and table mapping")
      ->required()
      ->type_name("FILE");
}

void takesScope(CLI::App& command, Options& options) {
  command
      .add_option("--range-from", options.rangeFrom, "First key of the scope; a composite key as a JSON array of texts")
      ->type_name("KEY");
  command.add_option("--range-to", options.rangeTo, "Last key, included")->type_name("KEY");
  command.add_option("--filter", options.filter, "SQL condition on the source's columns")->type_name("CONDITION");
}

void takesRuns(CLI::App& command, Options& options) {
  command
      .add_option("--runs", options.runs, "Folder of the runs (default: tidemark/runs below the user's data folder)")
      ->type_name("FOLDER");
}

void takesAnswers(CLI::App& command, Options& options) {
  command.add_option("--answers", options.answers, "Answers (JSON), keyed by step and question; without it, asks")
      ->type_name("FILE");
}

void defineRunCommands(CLI::App& app, Options& options) {
  auto* run = app.add_subcommand("run", "Start a run and take it through the fifteen steps");
  needsProfile(*run, options);
  takesAnswers(*run, options);
  takesRuns(*run, options);
  run->add_flag("--dry-run", options.dryRun,
                "Measure and show everything up to the first write; write nothing to the sink");

  auto* resume = app.add_subcommand("resume", "Go on with a run where it stopped");
  resume->add_option("RUN", options.run, "Id of the run, as 'runs' lists it")->required();
  resume->add_option("--abandon", options.abandon, "End the run instead, for this reason, and release its table")
      ->type_name("REASON");
  takesAnswers(*resume, options);
  takesRuns(*resume, options);

  auto* runs = app.add_subcommand("runs", "List the runs");
  takesRuns(*runs, options);

  auto* undo = app.add_subcommand("undo", "Put back the rows that a run's sweep marked as deleted");
  undo->add_option("RUN", options.run, "Id of the run")->required();
  undo->add_option("--confirm", options.confirm, "Name of the sink table, typed; without it, asks")->type_name("TABLE");
  takesRuns(*undo, options);

  auto* report = app.add_subcommand("report", "Write the report of a run");
  report->add_option("RUN", options.run, "Id of the run")->required();
  report->add_option("--html", options.html, "Also write the report as a page")->type_name("FILE");
  takesRuns(*report, options);
}

void defineDataCommands(CLI::App& app, Options& options) {
  auto* check = app.add_subcommand("check", "Check source and sink against what a backfill needs; writes nothing");
  needsProfile(*check, options);
  takesScope(*check, options);

  auto* sweep = app.add_subcommand("sweep", "Count the rows that the source no longer has; writes nothing");
  needsProfile(*sweep, options);
  takesScope(*sweep, options);
  sweep->add_flag("--preview", options.preview, "Required: a sweep itself is done inside a run")->required();

  auto* verify = app.add_subcommand("verify", "Compare source and sink twice and name the keys that differ");
  needsProfile(*verify, options);
  takesScope(*verify, options);

  auto* apply = app.add_subcommand("apply", "Apply change events through the guard");
  needsProfile(*apply, options);
  apply->add_option("--from", options.from, "JSON lines with key and value; '-' reads standard input")
      ->required()
      ->type_name("FILE");
  apply->add_option("--batch", options.batchRows, "Events a transaction")->check(CLI::Range(1, 1000000));
  apply->add_flag("--leave-keys", options.leaveKeys, "Do not read doubtful and incomplete keys again from the source");

  auto* certify = app.add_subcommand("certify", "Prove the sink's convergence in a scratch schema");
  needsProfile(*certify, options);

  auto* demo = app.add_subcommand("demo", "Walk the fifteen steps on the embedded default");
  demo->add_option("--folder", options.folder,
                   "Keep the demo's databases and its run here (default: the databases are removed)")
      ->type_name("FOLDER");
  demo->add_option("--rows", options.rows, "Rows of the simulated source")->check(CLI::Range(2000, 2000000));
}

int guarded(const Options& options, Terminal& terminal, std::stop_token stop) {
  try {
    return static_cast<int>(kCommands.at(options.command)(options, terminal, stop));
  } catch (const Error& error) {
    terminal.error(error);
    return static_cast<int>(exitCodeOf(error));
  } catch (const std::exception& error) {
    terminal.error(Error("internal", error.what(), {"This is a defect of the program: please report it.", {}, {}}));
    return static_cast<int>(ExitCode::Failure);
  }
}

/// Waits for SIGINT or SIGTERM on a thread of its own, so that stopping is an ordinary stop request: what is being
/// committed is finished, and the journal says where the run stands.
class SignalWatch {
 public:
  SignalWatch() {
    sigemptyset(&m_signals);
    sigaddset(&m_signals, SIGINT);
    sigaddset(&m_signals, SIGTERM);
    sigaddset(&m_signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &m_signals, nullptr);
    m_thread = std::thread([this] {
      int signal = 0;
      while (sigwait(&m_signals, &signal) == 0 && signal != SIGUSR1) m_stop.request_stop();
    });
  }
  ~SignalWatch() {
    pthread_kill(m_thread.native_handle(), SIGUSR1);
    m_thread.join();
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  std::stop_token token() const { return m_stop.get_token(); }

 private:
  sigset_t m_signals{};
  std::stop_source m_stop;
  std::thread m_thread;
};

}  // namespace

int mainWith(int argc, char** argv) {
  Options options;
  CLI::App app{"Tidemark without a screen: put history into a table that is receiving live changes, and prove it."};
  app.name("tidemarkctl");
  app.set_version_flag("--version", TIDEMARK_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Progress goes to standard error; with --json standard output is one JSON document.\n"
      "Exit codes: 0 passed, 1 failure, 2 usage, 3 gate shut, 4 differences found, 5 in doubt.");
  defineRunCommands(app, options);
  defineDataCommands(app, options);
  for (auto* command : app.get_subcommands({}))
    command->add_flag("--json", options.json, "One JSON document as result");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : static_cast<int>(ExitCode::Usage);
  }
  options.command = app.get_subcommands().front()->get_name();
  // A limit on the size of files is then an error of the one file that meets it, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  SignalWatch watch;
  QCoreApplication core(argc, argv);
  QCoreApplication::setApplicationName("tidemark");
  Terminal terminal(options.json);
  return guarded(options, terminal, watch.token());
}

}  // namespace tidemark::ctl

int main(int argc, char** argv) {
  return tidemark::ctl::mainWith(argc, argv);
}
