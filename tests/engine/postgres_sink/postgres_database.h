#pragma once

#include <memory>
#include <string>

#include "engine/apply/sink.h"
#include "engine/postgres/postgres_sink.h"
#include "tests/stack/postgres_server.h"

namespace tidemark::test {

/// The server of this test program: started once, since that costs a second.
PostgresServer& sharedServer();

/// A database of its own on the shared server, dropped by the destructor.
class PostgresDatabase {
 public:
  PostgresDatabase();
  ~PostgresDatabase();
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  std::string connection() const { return sharedServer().connection(m_name); }
  /// The same database as another role; roles belong to the server, so name them by the database.
  std::string connectionAs(const std::string& role) const;
  /// Runs SQL as the superuser and returns what it answered, without the last line end.
  std::string sql(const std::string& statements) const;
  const std::string& name() const { return m_name; }

 private:
  std::string m_name;
};

/// public.orders (id bigint key; customer text, total numeric(12,2), note text) under `lsn`.
TableMapping ordersMapping();
inline const char* const kCreateOrders =
    "CREATE TABLE orders (id bigint PRIMARY KEY, customer text, total numeric(12,2), note text, "
    "lsn bigint NOT NULL, deleted boolean NOT NULL)";

ColumnPair columnPair(const std::string& name, ColumnKind kind, const std::string& declared = {});
Change ordersRow(std::int64_t id, const std::string& customer, std::int64_t lsn);
Change ordersRemoval(std::int64_t id, std::int64_t lsn);

}  // namespace tidemark::test
