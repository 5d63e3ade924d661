#pragma once

#include <filesystem>

#include "engine/scope/table_mapping.h"

namespace tidemark {

/// How the simulator's orders lie in an SQLite sink: same names, with source_lsn and is_deleted beside them, and under
/// commit-lsn source_commit_lsn too. Throws Error "simulator.scheme" for the schemes of other databases.
TableMapping demoMapping(PositionScheme scheme = PositionScheme::Lsn);

/// Makes a sink file with an empty table orders as demoMapping(scheme) wants it. Throws Error "simulator.storage".
void createDemoSink(const std::filesystem::path& file, PositionScheme scheme = PositionScheme::Lsn);

}  // namespace tidemark
