#include "runbook/gates.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

class LogStep final : public NumberedStep {
 public:
  LogStep() : NumberedStep(4) {}

  std::vector<Gate> measure(StepContext& context) override {
    std::vector<Gate> gates;
    addGates(gates, context.source().inspectLog());
    gates.push_back(
        notApplicable("log.topic", text("Topic retention and compaction"),
                      text("Does not apply: reloading by SQL reads no topic, and the profile names none.")));
    gates.push_back(notApplicable("log.connector", text("Connector tasks and pending snapshots"),
                                  text("Does not apply: the profile names no connector, so none was looked at.")));
    return gates;
  }
};

}  // namespace

std::unique_ptr<Step> makeLogStep() {
  return std::make_unique<LogStep>();
}

}  // namespace tidemark::runbook
