#pragma once

#include <memory>
#include <string>

#include "engine/apply/sink.h"

namespace tidemark {

/// Opens a sink in a PostgreSQL database. `connection` is a connection string or URI of libpq; services and password
/// files work. Throws Error "postgres.unreachable", "postgres.wrong_password" and the like.
std::unique_ptr<Sink> openPostgresSink(const std::string& connection);

/// Opens a session that cannot write: it is read-only by default, and every read stands in a transaction of its own
/// that is READ ONLY. Rights are what enforces it in the end: give an audit a role with SELECT alone.
std::unique_ptr<SinkReader> openPostgresReader(const std::string& connection);

}  // namespace tidemark
