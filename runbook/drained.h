#pragma once

#include <vector>

#include "runbook/run_state.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// Whether the stream has gone past every boundary of the load, so that a sweep cannot meet what is still on its way:
/// measured in step 10, and again before a sweep and an undo.
std::vector<Gate> drainedGates(StepContext& context);
bool isDrained(StepContext& context);
/// Throws Error "sink.not_drained" with the first shut gate.
void requireDrained(StepContext& context);

}  // namespace tidemark::runbook
