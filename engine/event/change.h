#pragma once

#include <cstdint>

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

}  // namespace tidemark
