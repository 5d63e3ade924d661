#pragma once

#include <string>

#include "engine/postgres/connection.h"

namespace tidemark::postgres {

/// Whether a session keeps to one server process, or a pooler hands that process to others between transactions: then
/// settings, locks and temporary tables get lost, and with them the texts that comparisons depend on.
struct SessionProbe {
  bool shared = false;
  std::string measured;  ///< "direct session, backend 4711".
};

/// Opens a second session for the comparison. `connection` must be outside a transaction.
SessionProbe probeSession(Connection& connection);

}  // namespace tidemark::postgres
