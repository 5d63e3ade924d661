#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/plan.h"
#include "runbook/run_facts.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"
#include "runbook/verification.h"

namespace tidemark::runbook {

namespace {

std::vector<Choice> ways() {
  const std::string noConnector = text("the profile names no connector and no topic");
  return {{"snapshot_mode", text("1: snapshot.mode on the connector's next start"), noConnector},
          {"incremental_signal", text("2: incremental snapshot by signal"), noConnector},
          {"blocking_signal", text("3: blocking snapshot by signal"), noConnector},
          {"kafka_replay", text("4: replay from the topic"), noConnector},
          {"sql_reload", text("5: reload by SQL"), {}}};
}

Question wayQuestion() {
  Question way;
  way.id = "way";
  way.prompt = text("Which way of reloading?");
  way.kind = QuestionKind::Choice;
  way.choices = ways();
  way.defaultValue = "sql_reload";
  way.help = text(
      "The rows that this run reads are stamped with its boundary, so they mend whatever is older and lose against "
      "whatever is newer.");
  return way;
}

class ChooseStep final : public NumberedStep {
 public:
  ChooseStep() : NumberedStep(5) {}

  std::vector<Question> questions(StepContext&) override { return {wayQuestion()}; }

  std::vector<Gate> measure(StepContext& context) override {
    const RunState& run = context.state();
    const Scope scope = scopeOf(run);
    std::vector<Gate> gates;
    gates.push_back(passed("choose.statement", text("Statement of the load"),
                           context.source().loadStatement(context.mapping(), scope), text("plan")));
    const std::string estimate = run.step(1).fact("estimate");
    Gate rows = passed("choose.growth", text("Rows to be read and offered to the sink"),
                       groupedNumber(numberIn(estimate, "rows")), text("estimate of step 1"));
    rows.unit = text("rows");
    gates.push_back(rows);
    gates.push_back(
        notApplicable("choose.signal", text("Length of the signal, tables that a pattern matches"),
                      text("Does not apply: reloading by SQL sends no signal and names one literal table.")));
    gates.push_back(notApplicable("choose.topic_growth", text("Topic growth"),
                                  text("Does not apply: reloading by SQL writes to no topic.")));
    gates.push_back(asOutcome(check(run.planFrozen(), "choose.frozen", text("Plan is frozen"),
                                    run.planFrozen() ? run.planDigest : text("not yet"), text("journal"),
                                    text("Freeze it when it says what you mean."))));
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    const RunState& run = context.state();
    Action before;
    before.id = "verify_before";
    before.title = text("Compare both sides before anything is loaded");
    before.statement =
        text("Reads the scope on both sides, twice; writes nothing. Tells later what the run has mended.");
    before.required = false;
    before.done = run.step(5).performed.contains("verify_before");
    Action freeze;
    freeze.id = "freeze";
    freeze.title = text("Freeze the plan");
    freeze.done = run.planFrozen();
    freeze.reverse = text("Open a step up to this one again, as long as no row was written.");
    if (run.step(5).answer("way").empty()) {
      freeze.blockedBecause = text("no way of reloading was chosen yet");
      freeze.statement = text("(the plan, when the way is chosen)");
    } else {
      freeze.statement = freeze.done ? run.planJson : planJson(context);
    }
    return {before, freeze};
  }

  void perform(StepContext& context, const std::string& action) override {
    if (action == "freeze") {
      context.freezePlan(planJson(context));
      return;
    }
    const VerifyReport report = verifyScope(context);
    context.record(5, "verification_before", encodeVerification(report, context.mapping().scheme, 100));
    context.record(5, "differences_before", differencesJson(report));
  }
};

}  // namespace

std::unique_ptr<Step> makeChooseStep() {
  return std::make_unique<ChooseStep>();
}

}  // namespace tidemark::runbook
