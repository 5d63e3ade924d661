#pragma once

#include <memory>

#include "engine/boundary/boundary.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/spare_session.h"
#include "engine/scope/table_mapping.h"
#include "engine/source/rows.h"

namespace tidemark::postgres {

/// Streams of a source's rows, each on a session of its own and in a snapshot that it ends.

/// Rule 4.4: see Source::openSegment.
std::unique_ptr<SegmentStream> openSegmentStream(Connection connection, const TableMapping& mapping, const Scope& scope,
                                                 const Boundary& boundary);
/// Live rows of the scope in key order.
std::unique_ptr<RowStream> openRowStream(std::shared_ptr<SpareSession> sessions, const TableMapping& mapping,
                                         const Scope& scope);

/// Turns a row of text values, key columns first, into a StoredRow.
StoredRow toStoredRow(const TableMapping& mapping, std::vector<Value>& values);

}  // namespace tidemark::postgres
