#pragma once

#include <optional>

#include "engine/boundary/boundary.h"
#include "engine/scope/scope.h"
#include "runbook/run_state.h"
#include "runbook/segment_record.h"
#include "runbook/step_context.h"

// What later steps read of earlier ones: typed views of the run's evidence.
namespace tidemark::runbook {

/// The scope as step 1 measured it. Throws Error "run.no_scope" before.
Scope scopeOf(const RunState& run);
/// The boundary that step 6 captured; empty before.
std::optional<Boundary> boundaryOf(const RunState& run);
/// True when every part of the scope was loaded, applied and confirmed.
bool loadComplete(const RunState& run);
/// Scope with one segment's range.
Scope segmentScope(const RunState& run, const SegmentRecord& segment);
/// The pace of step 8, or the profile's before it was set.
Pace paceOf(const RunState& run, const Profile& profile);
/// Keys that were read again were stamped above every segment's boundary, so only a position beyond this one can have
/// come with the stream; 0 when none was.
std::int64_t stampedUpTo(const RunState& run);
/// A JSON number of an evidence object, 0 when absent.
std::uint64_t numberIn(const std::string& json, const std::string& name);
bool flagged(const StepState& step, const std::string& fact);

}  // namespace tidemark::runbook
