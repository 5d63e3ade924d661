#pragma once

#include <vector>

#include "runbook/run_state.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// Whether the stream has gone past every boundary of the load, so that a sweep cannot meet what is still on its way:
/// measured in step 10, and again before a sweep and an undo.
std::vector<Gate> drainedGates(StepContext& context);
/// True when every one of those gates is open.
bool isDrained(StepContext& context);

}  // namespace tidemark::runbook
