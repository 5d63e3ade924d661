#include "runbook/drained.h"
#include "runbook/steps/numbered_step.h"

namespace tidemark::runbook {

namespace {

class DrainedStep final : public NumberedStep {
 public:
  DrainedStep() : NumberedStep(10) {}

  std::vector<Gate> measure(StepContext& context) override { return drainedGates(context); }
};

}  // namespace

std::unique_ptr<Step> makeDrainedStep() {
  return std::make_unique<DrainedStep>();
}

}  // namespace tidemark::runbook
