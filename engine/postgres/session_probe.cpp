#include "engine/postgres/session_probe.h"

namespace tidemark::postgres {

SessionProbe probeSession(Connection& connection) {
  constexpr const char* kProcess = "SELECT pg_backend_pid()";
  const Value before = connection.scalar(kProcess);
  // While this session is idle, the second one opens a transaction: where processes are shared it gets the same one.
  Connection second(connection.connectionString());
  second.begin(Isolation::ReadCommitted, Access::ReadOnly);
  const Value other = second.scalar(kProcess);
  const Value after = connection.scalar(kProcess);
  second.rollback();
  if (before != after || before == other) return {true, "backend " + *before + ", then " + *after};
  // A pooler made up the process number that the log-in named.
  const bool direct = before == std::to_string(connection.backendPid());
  return {false, (direct ? "direct session, backend " : "session pooler, backend ") + *before};
}

}  // namespace tidemark::postgres
