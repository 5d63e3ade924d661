#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/core/cell.h"

namespace tidemark {

/// Result counts of rule 1, told apart. Every incoming change is counted exactly once in the first seven.
struct ApplyCounts {
  std::uint64_t inserted = 0;       ///< A live row where the sink had nothing for the key.
  std::uint64_t updated = 0;        ///< A live row that replaced a stored row or a marker.
  std::uint64_t markedDeleted = 0;  ///< A marker, whether the sink had anything for the key or not.
  std::uint64_t skippedOlder = 0;
  std::uint64_t skippedEqual = 0;
  std::uint64_t doubtful = 0;
  std::uint64_t collapsed = 0;   ///< Superseded inside the batch by a higher position of the same key.
  std::uint64_t incomplete = 0;  ///< Of the written ones: a left-out column met no stored row, or a marker.

  ApplyCounts& operator+=(const ApplyCounts& other);
  std::uint64_t total() const {
    return inserted + updated + markedDeleted + skippedOlder + skippedEqual + doubtful + collapsed;
  }
};

/// The counts by the names they have in journals and JSON.
struct NamedCount {
  const char* name;
  std::uint64_t ApplyCounts::*count;
};
inline constexpr std::array<NamedCount, 8> kNamedCounts{{{"inserted", &ApplyCounts::inserted},
                                                         {"updated", &ApplyCounts::updated},
                                                         {"marked_deleted", &ApplyCounts::markedDeleted},
                                                         {"skipped_older", &ApplyCounts::skippedOlder},
                                                         {"skipped_equal", &ApplyCounts::skippedEqual},
                                                         {"doubtful", &ApplyCounts::doubtful},
                                                         {"collapsed", &ApplyCounts::collapsed},
                                                         {"incomplete", &ApplyCounts::incomplete}}};

inline ApplyCounts& ApplyCounts::operator+=(const ApplyCounts& other) {
  for (const NamedCount& each : kNamedCounts) this->*each.count += other.*each.count;
  return *this;
}

struct ApplyResult {
  ApplyCounts counts;
  std::vector<Key> doubtful;    ///< To be read again under a fresh boundary.
  std::vector<Key> incomplete;  ///< Likewise.
};

}  // namespace tidemark
