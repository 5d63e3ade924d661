#pragma once

#include "engine/core/error.h"

namespace tidemark::ctl {

/// What a script can rely on; the man page lists the same numbers.
enum class ExitCode : int {
  Passed = 0,
  Failure = 1,
  Usage = 2,
  GateShut = 3,
  DifferencesFound = 4,
  InDoubt = 5,
};

/// The exit code of an error that ended a command: a lost commit answer is in doubt, what the run does not permit now
/// is a shut gate, everything else a failure.
inline ExitCode exitCodeOf(const Error& error) {
  if (error.detail().inDoubt) return ExitCode::InDoubt;
  for (const char* shut : {"gate.shut", "action.blocked", "run.not_armed", "run.dry_run", "apply.sink_unfit"}) {
    if (error.code() == shut) return ExitCode::GateShut;
  }
  return ExitCode::Failure;
}

}  // namespace tidemark::ctl
