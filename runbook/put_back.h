#pragma once

#include <string>

#include "runbook/run_state.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// What a run could leave changed behind: shape of both tables, and every finding with its severity. Canonical JSON.
std::string stateOfBothSides(StepContext& context);
/// One gate for each thing that is not as it was recorded in step 2; one passed gate when all is.
std::vector<Gate> comparedWithStart(StepContext& context);

}  // namespace tidemark::runbook
