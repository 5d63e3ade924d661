#include "engine/postgres/spare_session.h"

#include <utility>

#include "engine/core/error.h"

namespace tidemark::postgres {

Connection SpareSession::beginRead() {
  std::optional<Connection> spare;
  {
    const std::lock_guard lock(m_mutex);
    spare = std::exchange(m_spare, std::nullopt);
  }
  if (spare) {
    try {
      spare->begin(Isolation::RepeatableRead, Access::ReadOnly);
      return std::move(*spare);
    } catch (const Error& error) {
      if (error.code() != "postgres.lost") throw;
    }
  }
  Connection fresh(m_connectionString);
  fresh.begin(Isolation::RepeatableRead, Access::ReadOnly);
  return fresh;
}

void SpareSession::giveBack(Connection connection) noexcept {
  connection.rollback();
  if (!connection.alive() || connection.inTransaction()) return;
  const std::lock_guard lock(m_mutex);
  m_spare.emplace(std::move(connection));
}

}  // namespace tidemark::postgres
