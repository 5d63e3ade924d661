#pragma once

#include <span>

#include "engine/load/reread.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// Reads keys again under a fresh boundary, applies them, and journals under `step` how far they were stamped.
RereadResult readAgain(StepContext& context, int step, std::span<const Key> keys);
/// The same for every key that the sink noted as to be read again; returns how many there were.
std::uint64_t readNotedKeysAgain(StepContext& context, int step);

}  // namespace tidemark::runbook
