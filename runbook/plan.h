#pragma once

#include <string>

#include "runbook/step_context.h"

namespace tidemark::runbook {

/// The plan as it stands: scope, way, mapping, exact statements, pace and limits. Canonical JSON; the same answers and
/// catalogues always give the same text.
std::string planJson(StepContext& context);

}  // namespace tidemark::runbook
