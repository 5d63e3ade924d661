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

/// The exit code of an error that ended a command: a lost commit answer is in doubt, everything else a failure.
inline ExitCode exitCodeOf(const Error& error) {
  return error.detail().inDoubt ? ExitCode::InDoubt : ExitCode::Failure;
}

}  // namespace tidemark::ctl
