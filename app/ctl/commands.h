#pragma once

#include <stop_token>

#include "app/ctl/exit_code.h"
#include "app/ctl/options.h"
#include "app/ctl/terminal.h"

namespace tidemark::ctl {

// One function a subcommand, each in a file of its own. They print through the terminal, return the exit code, and
// throw Error for what ends them early. `stop` is triggered by SIGINT and SIGTERM.

ExitCode runCommand(const Options& options, Terminal& terminal, std::stop_token stop);      ///< a new run
ExitCode resumeCommand(const Options& options, Terminal& terminal, std::stop_token stop);   ///< goes on with one
ExitCode runsCommand(const Options& options, Terminal& terminal, std::stop_token stop);     ///< lists them
ExitCode undoCommand(const Options& options, Terminal& terminal, std::stop_token stop);     ///< of a sweep
ExitCode checkCommand(const Options& options, Terminal& terminal, std::stop_token stop);    ///< both sides, read-only
ExitCode sweepCommand(const Options& options, Terminal& terminal, std::stop_token stop);    ///< preview, read-only
ExitCode verifyCommand(const Options& options, Terminal& terminal, std::stop_token stop);   ///< data, read-only
ExitCode applyCommand(const Options& options, Terminal& terminal, std::stop_token stop);    ///< JSON lines
ExitCode reportCommand(const Options& options, Terminal& terminal, std::stop_token stop);   ///< of a run
ExitCode demoCommand(const Options& options, Terminal& terminal, std::stop_token stop);     ///< the embedded default
ExitCode certifyCommand(const Options& options, Terminal& terminal, std::stop_token stop);  ///< convergence suite

}  // namespace tidemark::ctl
