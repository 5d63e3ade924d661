#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runbook/run_state.h"

namespace tidemark::runbook {

class StepContext;

/// What was found about an interrupted effect.
struct Reconciliation {
  bool tookPlace = false;  ///< Completely; what is left to do when not is in `text`.
  std::string text;        ///< In words, for the operator.
};

/// One of the fifteen steps: stateless; what it knows is in the run's state, what it touches goes through the
/// context. Called on the driver's thread.
class Step {
 public:
  virtual ~Step() = default;

  virtual int number() const = 0;
  virtual std::string id() const = 0;       ///< Stable: "scope".
  virtual std::string title() const = 0;    ///< Translated: "Reason and scope".
  virtual std::string purpose() const = 0;  ///< Translated, two or three sentences for the page.

  /// Reason why the step does not apply to this run, or empty.
  virtual std::string doesNotApply(const RunState&) const { return {}; }
  /// Asked in this order. May read source and sink (bounds for defaults).
  virtual std::vector<Question> questions(StepContext&) { return {}; }
  /// Throws Error "answer.invalid" with what is allowed. Called before an answer is journalled.
  virtual void checkAnswer(StepContext&, const std::string& /*question*/, const std::string& /*value*/) {}
  /// Measures every gate of the step and records evidence through the context.
  virtual std::vector<Gate> measure(StepContext&) = 0;
  virtual std::vector<Action> actions(StepContext&) { return {}; }
  /// Performs one of actions(). Gates were measured again and the effect announced by the caller. Throws Error.
  virtual void perform(StepContext&, const std::string& /*action*/) {}
  /// Called after an answer was journalled while the step is running: brings its evidence up to date.
  virtual void answered(StepContext&, const std::string& /*question*/) {}
  /// After a crash: measures whether the announced effect took place and writes nothing to the table.
  virtual Reconciliation reconcile(StepContext&, const InterruptedEffect&);
};

/// What people need of a step without a run: the list of the window and the manual.
struct StepInfo {
  int number = 0;
  std::string id;
  std::string title;
  std::string purpose;
};

/// The fifteen, in order.
const std::vector<StepInfo>& stepInfos();
std::vector<std::unique_ptr<Step>> makeSteps();  ///< One of each, in order; they keep nothing between calls.

}  // namespace tidemark::runbook
