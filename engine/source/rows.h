#pragma once

#include <cstdint>

#include "engine/core/cell.h"
#include "engine/position/position.h"
#include "engine/scope/scope.h"

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

/// The rows of one load segment. Its snapshot lives as long as the stream.
class SegmentStream : public RowStream {
 public:
  /// Counts the rows of `range` (a part of the segment's), not filtered, in the very snapshot that next() reads, by a
  /// statement of its own: the one number that a key list can be held against exactly while others go on writing.
  /// Ends the stream: next() must not be called after it. May be called before the last row was read.
  virtual std::uint64_t countInSnapshot(const KeyRange& range) = 0;
};

}  // namespace tidemark
