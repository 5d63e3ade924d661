#pragma once

#include <vector>

#include "runbook/run_state.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// What must still hold right before any write to the table, whatever step makes it: the lineage is the one that the
/// run began with, the catalogues are as planned, source and sink still meet the guard's requirements, and the warnings
/// are those that were waived in step 2.
std::vector<Gate> writeGuards(StepContext& context);

}  // namespace tidemark::runbook
