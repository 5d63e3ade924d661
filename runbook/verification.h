#pragma once

#include <vector>

#include "engine/verify/verify.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// Verifies the whole scope, twice. Before the load in one piece and without a boundary; afterwards each segment at its
/// own boundary, added up.
VerifyReport verifyScope(StepContext& context);
/// For between the passes of a verification: gives the stream a chance to deliver what is in flight. Returns when the
/// sink has reached the source's position of this moment, when nothing arrives for a second, after half a minute, or on
/// stop.
void letTheStreamCatchUp(Source& source, SinkReader& sink, const TableMapping& mapping, std::stop_token stop);
/// {"ghost": n, "missing": n, "stale": n}: different content at the same position counts as stale here.
std::string differencesJson(const VerifyReport& report);

}  // namespace tidemark::runbook
