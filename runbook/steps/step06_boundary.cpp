#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

Question methodQuestion() {
  Question method;
  method.id = "method";
  method.prompt = text("How is the boundary found?");
  method.kind = QuestionKind::Choice;
  method.defaultValue = "wait";
  method.choices = {
      {"wait", text("Wait until every older transaction has ended, then read"), {}},
      {"restart_lsn", text("Take the slot's restart position without waiting"),
       text(
           "with synchronous replication a transaction can be streamed and confirmed while readers do not see it yet")},
      {"after_read", text("Take a position after the read, or a timestamp"),
       text("it would lie above changes that the read did not see, and those would then lose")}};
  return method;
}

std::string blockersText(const std::vector<Blocker>& blockers) {
  std::string result;
  for (const Blocker& each : blockers) {
    const std::string who = each.preparedName.empty()
                                ? text("process %1 of %2 (%3)", std::to_string(each.pid), each.user, each.application)
                                : text("prepared transaction %1", each.preparedName);
    result += (result.empty() ? "" : "; ") + who;
  }
  return result.empty() ? text("nobody") : result;
}

class BoundaryStep final : public NumberedStep {
 public:
  BoundaryStep() : NumberedStep(6) {}

  std::vector<Question> questions(StepContext&) override { return {methodQuestion()}; }

  std::vector<Gate> measure(StepContext& context) override {
    const RunState& run = context.state();
    const Lineage lineage = context.source().lineage();
    std::vector<Gate> gates{
        check(lineage.display() == run.lineage, "boundary.lineage", text("Same source as in step 2"), lineage.display(),
              text("source"),
              text("The source is another server, timeline or slot than when the run began. Abandon this "
                   "run and begin a new one."))};
    const auto boundary = boundaryOf(run);
    if (!boundary) {
      gates.push_back(asOutcome(unknown("boundary.captured", text("Boundary is captured"), text("Capture it."))));
      return gates;
    }
    const PositionScheme scheme = context.profile().scheme;
    gates.push_back(asOutcome(passed("boundary.captured", text("Boundary is captured"),
                                     displayPosition(scheme, boundary->position), text("rule of the boundary"))));
    gates.push_back(
        asOutcome(check(boundary->lineage == lineage, "boundary.same_lineage", text("Boundary belongs to this source"),
                        boundary->lineage.display(), text("boundary"), text("Capture it again."))));
    gates.push_back(passed("boundary.held_back", text("Held back by"), blockersText(boundary->heldBackBy),
                           text("waited %1", displaySeconds(boundary->waited))));
    if (boundary->restartLsn.empty()) {
      gates.push_back(notApplicable("boundary.restart", text("Slot's restart position"),
                                    text("Does not apply: the profile names no slot.")));
    } else {
      gates.push_back(passed("boundary.restart", text("Slot's restart position"), boundary->restartLsn, text("slot")));
    }
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    Action capture;
    capture.id = "capture";
    capture.title = text("Capture the boundary");
    capture.statement = text(
        "Take the log position; in a short transaction take a transaction id; wait until every transaction "
        "up to it has ended; read only then.");
    capture.reverse = text("Captures nothing but a number; it can be captured again.");
    capture.done = boundaryOf(context.state()).has_value();
    if (context.state().step(6).answer("method").empty())
      capture.blockedBecause = text("the method was not chosen yet");
    return {capture};
  }

  void perform(StepContext& context, const std::string&) override {
    const Boundary boundary =
        context.source().captureBoundary(context.boundaryOptions(), context.stopToken(), context.boundaryObserver());
    context.record(6, "boundary", encodeBoundary(boundary));
  }

  Reconciliation reconcile(StepContext&, const InterruptedEffect&) override {
    return {false, text("No row was loaded under this boundary; it is captured again.")};
  }

 private:
  static std::string displaySeconds(std::chrono::milliseconds time) {
    return std::to_string(time.count() / 1000) + "." + std::to_string(time.count() % 1000 / 100) + " s";
  }
};

}  // namespace

std::unique_ptr<Step> makeBoundaryStep() {
  return std::make_unique<BoundaryStep>();
}

}  // namespace tidemark::runbook
