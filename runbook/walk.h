#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "runbook/run_driver.h"

namespace tidemark::runbook {

/// Where the answers of a walk come from: a file, a terminal, a test.
class AnswerSource {
 public:
  virtual ~AnswerSource() = default;
  /// Empty = no answer: the walk stops there (a question that is not required is then passed over).
  virtual std::optional<std::string> answer(int step, const Question& question) = 0;
  /// A waiver for a gate that permits one; empty = the gate stays shut.
  virtual std::optional<Waiver> waive(int /*step*/, const Gate&) { return {}; }
  /// Asked once, before the first action that writes.
  virtual bool arm(const Banner&) { return false; }
  /// Whether to perform an action, and what to type for it: empty = no. Actions that ask for no text want "".
  virtual std::optional<std::string> confirm(int step, const Action& action) = 0;
};

enum class WalkEnd { Finished, GateShut, AnswerMissing, NotArmed, ActionRefused };

struct WalkResult {
  WalkEnd end = WalkEnd::Finished;
  int step = 0;                     ///< Where it stopped; 15 when finished.
  std::vector<Obstacle> obstacles;  ///< Why.
};

/// Takes a run from its current step as far as the answers go: skips what does not apply, asks, measures, performs,
/// finishes. Step 10 is measured again until it is open or Limits::drainTimeout has passed. Throws Error, and Cancelled
/// after requestStop() while a call is running. `stop` ends the walk between its calls too (with Cancelled); whoever
/// triggers it also calls requestStop().
WalkResult walk(RunDriver& driver, AnswerSource& answers, std::stop_token stop = {});

}  // namespace tidemark::runbook
