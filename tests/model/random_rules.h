#pragma once

#include <cstdint>

#include "tests/model/model_rules.h"
#include "tests/model/random_schedule.h"

namespace tidemark::model {

/// Applies the events one by one under a position rule; doubtful keys are read again at the end where the rules keep
/// them. True when the live rows are the source's.
bool endsRightOneByOne(const Rules& rules, const RandomSchedule& schedule);

/// The same under the law in batches of one to `largest` changes, as a sink applies them: the engine's settleDoubt,
/// then collapse, then the guard. The batches follow from the seed.
bool endsRightInBatches(PositionScheme scheme, const RandomSchedule& schedule, int largest, std::uint64_t seed);

}  // namespace tidemark::model
