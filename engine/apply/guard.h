#pragma once

#include "engine/position/position.h"

namespace tidemark {

/// What one incoming change does to one stored row (law, rule 1). The SQL of every sink says the same, and the
/// convergence suite and the exhaustive model hold both to it.
enum class GuardVerdict { Insert, Replace, SkipOlder, SkipEqual };

/// `stored` is null when the sink has no row (neither live nor marker) for the key. Strict: an equal position loses.
constexpr GuardVerdict guard(const Position* stored, const Position& incoming) {
  if (stored == nullptr) return GuardVerdict::Insert;
  if (*stored < incoming) return GuardVerdict::Replace;
  return *stored == incoming ? GuardVerdict::SkipEqual : GuardVerdict::SkipOlder;
}

/// True when a losing change may still be newer than what is stored, and its key must be read again (law, rule 2):
/// commit-lsn only, first element of the sequence null, and its LSN above the stored second element.
constexpr bool isDoubtful(PositionScheme scheme, bool isRead, bool firstElementNull, std::int64_t lsn,
                          const Position* stored, const Position& incoming) {
  if (scheme != PositionScheme::CommitLsn || isRead || !firstElementNull || stored == nullptr) return false;
  return !(*stored < incoming) && lsn > stored->element[1];
}

}  // namespace tidemark
