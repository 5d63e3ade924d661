#pragma once

#include <vector>

#include "engine/verify/verify.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// Verifies the whole scope, twice. Before the load in one piece and without a boundary; afterwards each segment at its
/// own boundary, added up.
VerifyReport verifyScope(StepContext& context);
/// {"ghost": n, "missing": n, "stale": n}: different content at the same position counts as stale here.
std::string differencesJson(const VerifyReport& report);

}  // namespace tidemark::runbook
