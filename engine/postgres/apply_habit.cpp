#include "engine/postgres/apply_habit.h"

#include <algorithm>

namespace tidemark::postgres {

namespace {
constexpr std::uint32_t kMostBatchesWanted = 64;
}

void ApplyHabit::learn(const ApplyCounts& counts) {
  const std::uint64_t met = counts.total() - counts.collapsed;
  const std::uint64_t skipped = counts.skippedOlder + counts.skippedEqual;
  // A marker counts alike for a stored row and for none, so that only a batch already tried as new may hold some.
  const bool allNew = counts.inserted + (expectsNewKeys() ? counts.markedDeleted : 0) == met && met > 0;
  m_newBatches = allNew ? m_newBatches + 1 : 0;
  if (allNew) {
    m_kind = m_newBatches >= m_batchesWanted ? Kind::NewKeys : Kind::Mixed;
  } else if (skipped * 2 > met) {
    m_kind = Kind::Stale;
  } else if (counts.updated * 2 > met) {
    m_kind = Kind::Updates;
  } else {
    m_kind = Kind::Mixed;
  }
}

void ApplyHabit::metStoredRow() {
  m_kind = Kind::Mixed;
  m_newBatches = 0;
  m_batchesWanted = std::min(m_batchesWanted * 2, kMostBatchesWanted);
}

}  // namespace tidemark::postgres
