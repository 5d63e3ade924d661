#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "engine/boundary/boundary.h"
#include "engine/postgres/connection.h"

namespace tidemark::postgres {

/// Which server this is, and which of its lives.
struct ServerLife {
  bool standby = false;
  std::string life;    ///< Changes with a restart, and with a crash that the postmaster outlived.
  std::string system;  ///< System identifier.
  std::int64_t timeline = 0;
};

ServerLife serverLife(Connection& connection);

/// Rule 4.1 to 4.3 of the law, in that order. `connection` must be outside a transaction. See Source::captureBoundary.
Boundary captureBoundary(Connection& connection, const BoundaryOptions& options, std::stop_token stop,
                         const BoundaryObserver& observer);

/// Rule 4.5: waits until the log of this moment is flushed. Throws Error "boundary.server_restarted" when the server is
/// not, or not any more, the one that the boundary was captured on.
void confirmRead(Connection& connection, const Boundary& boundary, std::stop_token stop);

/// Rule 4.4, begins a repeatable read transaction whose snapshot is taken after the lock on the table: an older
/// snapshot shows a table empty that was rewritten in between. Throws Error "boundary.not_reached" when the snapshot
/// does not lie behind the boundary's transaction, and "boundary.server_restarted".
void beginRead(Connection& connection, const std::string& lockStatement, const Boundary& boundary);

}  // namespace tidemark::postgres
