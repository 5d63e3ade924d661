#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

// What the rehearsal showed is kept as gates in the evidence, so that it is the same after the run is opened again.
std::string encodeRehearsal(const Rehearsal& rehearsal) {
  nlohmann::json gates = nlohmann::json::array();
  for (const Finding& each : rehearsal.findings) {
    gates.push_back(nlohmann::json::parse(encodeGate(asOutcome(gateFrom(each, 0)))));
  }
  return canonicalDump({{"where", rehearsal.where}, {"gates", gates}});
}

class RehearseStep final : public NumberedStep {
 public:
  RehearseStep() : NumberedStep(3) {}

  std::vector<Question> questions(StepContext&) override {
    return {acceptedBy(text("Who accepts what the rehearsal showed?"))};
  }

  std::vector<Gate> measure(StepContext& context) override {
    const std::string fact = context.state().step(3).fact("rehearsal");
    if (fact.empty()) {
      return {asOutcome(
          unknown("rehearse.played", text("Rehearsal was played"), text("Play it: nothing real is touched.")))};
    }
    const auto rehearsal = nlohmann::json::parse(fact);
    std::vector<Gate> gates;
    for (const auto& each : rehearsal.at("gates")) gates.push_back(decodeGate(each.dump()));
    gates.insert(gates.begin(), asOutcome(check(!gates.empty(), "rehearse.played", text("Rehearsal was played"),
                                                rehearsal.at("where").get<std::string>(), text("rehearsal"),
                                                text("It showed nothing: play it again."))));
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    Action rehearse;
    rehearse.id = "rehearse";
    rehearse.title = text("Play the straddling transaction");
    rehearse.statement = text(
        "BEGIN; change a row; take the boundary; read and load under it; COMMIT; deliver the change. The "
        "row must end with the changed value. The same with a change exactly at the boundary.");
    rehearse.reverse = text("Played on a simulated source of its own: nothing to undo.");
    rehearse.done = context.state().step(3).performed.contains("rehearse");
    return {rehearse};
  }

  void perform(StepContext& context, const std::string&) override {
    const Rehearsal rehearsal =
        context.environment().rehearse(context.profile(), context.stopToken(), context.progress());
    context.record(3, "rehearsal", encodeRehearsal(rehearsal));
  }
};

}  // namespace

std::unique_ptr<Step> makeRehearseStep() {
  return std::make_unique<RehearseStep>();
}

}  // namespace tidemark::runbook
