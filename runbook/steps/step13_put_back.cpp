#include "runbook/gates.h"
#include "runbook/put_back.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

class PutBackStep final : public NumberedStep {
 public:
  PutBackStep() : NumberedStep(13) {}

  std::vector<Gate> measure(StepContext& context) override {
    std::vector<Gate> gates = comparedWithStart(context);
    const auto leftovers = context.sink().beforeImages(context.state().runId);
    gates.push_back(passed("put_back.before_images", text("Before-images kept for an undo"), groupedNumber(leftovers),
                           text("sink")));
    gates.push_back(notApplicable("put_back.connector", text("snapshot.mode, filters, chunk size"),
                                  text("Does not apply: this run did not touch a connector's configuration.")));
    gates.push_back(notApplicable("put_back.signals", text("Rows left in the signal table"),
                                  text("Does not apply: this run sent no signal.")));
    return gates;
  }
};

}  // namespace

std::unique_ptr<Step> makePutBackStep() {
  return std::make_unique<PutBackStep>();
}

}  // namespace tidemark::runbook
