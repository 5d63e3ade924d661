#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/cell.h"
#include "engine/position/position.h"

namespace tidemark {

/// One change or read, decoded and positioned, ready for the guard.
struct Change {
  Key key;
  Row payload;                    ///< Empty for a delete; cells may be left out.
  bool deleted = false;           ///< A delete: becomes a marker with this position.
  bool isRead = false;            ///< From a snapshot.
  bool firstElementNull = false;  ///< sequence[0] was null: may be doubtful under commit-lsn.
  std::int64_t lsn = 0;           ///< The change's own LSN, for the doubt rule.
  Position position;
};

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

struct ApplyResult {
  ApplyCounts counts;
  std::vector<Key> doubtful;    ///< To be read again under a fresh boundary.
  std::vector<Key> incomplete;  ///< Likewise.
};

}  // namespace tidemark
