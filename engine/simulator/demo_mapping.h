#pragma once

#include <filesystem>

#include "engine/scope/table_mapping.h"

namespace tidemark {

/// How the simulator's orders lie in the demo's SQLite sink: same names, source_lsn and is_deleted beside them.
TableMapping demoMapping();

/// Makes a sink file with an empty table orders as demoMapping() wants it. Throws Error "simulator.storage".
void createDemoSink(const std::filesystem::path& file);

}  // namespace tidemark
