#pragma once

#include <vector>

#include "engine/monitor/finding.h"
#include "engine/postgres/connection.h"
#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// Measures the sink table (design, step 2). Only reads. Requirements of the guard fail and cannot be waived;
/// triggers, foreign keys and further unique indexes are warnings that can. Ids: sink.standby, sink.pooler, sink.table,
/// sink.columns, sink.primary_key, sink.key_order, sink.types, sink.position, sink.marker, sink.payload_null,
/// sink.unmapped_columns, sink.generated_columns, sink.unique_indexes, sink.foreign_keys, sink.triggers,
/// sink.row_security, sink.rights, sink.room.
std::vector<Finding> inspectSink(Connection& connection, const TableMapping& mapping, const Scope& scope);

}  // namespace tidemark::postgres
