#pragma once

#include "engine/core/cell.h"
#include "engine/position/position.h"

namespace tidemark {

/// One row as a table holds it. On a source, `position` is kNoPosition and `deleted` false.
struct StoredRow {
  Key key;
  Row payload;
  Position position = kNoPosition;
  bool deleted = false;
  bool inFilter = true;  ///< Source streams only: the row satisfies the scope's filter; payload is empty when not.
};

/// Rows in key order (compareKeys). Belongs to one thread; ends when next() returns false. Throws Error.
class RowStream {
 public:
  virtual ~RowStream() = default;
  virtual bool next(StoredRow& row) = 0;
};

}  // namespace tidemark
