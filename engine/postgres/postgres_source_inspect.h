#pragma once

#include <vector>

#include "engine/monitor/finding.h"
#include "engine/postgres/connection.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// What reading a table needs: see Source::inspect.
std::vector<Finding> inspectSource(Connection& connection, const TableMapping& mapping);
/// Log retention and what holds it: see Source::inspectLog. `slot` may be empty.
std::vector<Finding> inspectSourceLog(Connection& connection, const std::string& slot);

}  // namespace tidemark::postgres
