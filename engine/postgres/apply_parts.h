#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/apply/collapse.h"
#include "engine/event/change.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// Rows of one batch that one statement writes: one change a key, one set of left-out columns. The changes belong to
/// the batch or to the collapsed batch that the part was made of.
struct ApplyPart {
  std::vector<bool> leftOut;        ///< By payload column; empty when nothing is left out.
  std::vector<const Change*> rows;  ///< In one order of keys everywhere, so that two writers seldom wait in a ring.
};

/// The batch as one part when no key comes twice and nothing is left out, as in nearly every batch: then there is
/// nothing to collapse, and no change is copied.
std::optional<ApplyPart> plainPart(const TableMapping& mapping, std::span<const Change> batch);

/// Splits each pass of a collapsed batch by what its rows leave out; the passes stay in order.
std::vector<ApplyPart> partsOf(const TableMapping& mapping, const CollapsedBatch& collapsed);

}  // namespace tidemark::postgres
