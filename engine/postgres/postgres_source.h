#pragma once

#include <memory>
#include <string>

#include "engine/source/source.h"

namespace tidemark {

/// Opens a PostgreSQL database as a source. `connection` is a libpq connection string without a password; `slot` is the
/// replication slot that the stream reads, empty when there is none. A lost session is opened again by the next call.
/// Throws Error with the codes of engine/postgres/connection.h.
std::unique_ptr<Source> openPostgresSource(const std::string& connection, const std::string& slot);

}  // namespace tidemark
