#pragma once

#include "engine/apply/apply_counts.h"
#include "engine/apply/guard.h"

namespace tidemark::test {

/// Counts what the guard says of one change. True when the change is to be stored.
inline bool countVerdict(GuardVerdict verdict, bool deleted, ApplyCounts& counts) {
  switch (verdict) {
    case GuardVerdict::SkipOlder:
      ++counts.skippedOlder;
      return false;
    case GuardVerdict::SkipEqual:
      ++counts.skippedEqual;
      return false;
    case GuardVerdict::Insert:
      ++(deleted ? counts.markedDeleted : counts.inserted);
      return true;
    case GuardVerdict::Replace:
      ++(deleted ? counts.markedDeleted : counts.updated);
      return true;
  }
  return false;
}

}  // namespace tidemark::test
