#include "tests/engine/postgres_sink/postgres_database.h"

#include <atomic>

namespace tidemark::test {

PostgresServer& sharedServer() {
  static PostgresServer server({{"fsync", "off"}, {"shared_buffers", "64MB"}});
  return server;
}

PostgresDatabase::PostgresDatabase() {
  static std::atomic<int> number{0};
  m_name = "sink" + std::to_string(++number);
  sharedServer().sql("CREATE DATABASE " + m_name);
}

PostgresDatabase::~PostgresDatabase() {
  try {
    sharedServer().sql("DROP DATABASE " + m_name + " WITH (FORCE)");
  } catch (...) {
    // The server goes away with the program, and the database with it.
  }
}

std::string PostgresDatabase::sql(const std::string& statements) const {
  std::string answer = sharedServer().sql(statements, m_name);
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

std::string PostgresDatabase::connectionAs(const std::string& role) const {
  return connection() + " user=" + role;
}

ColumnPair columnPair(const std::string& name, ColumnKind kind, const std::string& declared) {
  ColumnPair pair;
  pair.source = name;
  pair.sink = name;
  pair.type.kind = kind;
  pair.type.declared = declared.empty() ? std::string(kindName(kind)) : declared;
  return pair;
}

TableMapping ordersMapping() {
  TableMapping mapping;
  mapping.source = {"public", "orders"};
  mapping.sink = {"public", "orders"};
  mapping.key = {columnPair("id", ColumnKind::BigInt)};
  mapping.payload = {columnPair("customer", ColumnKind::Text),
                     columnPair("total", ColumnKind::Numeric, "numeric(12,2)"), columnPair("note", ColumnKind::Text)};
  mapping.payload[1].type.scale = 2;
  mapping.positionColumns = {"lsn"};
  mapping.markerColumn = "deleted";
  return mapping;
}

Change ordersRow(std::int64_t id, const std::string& customer, std::int64_t lsn) {
  Change change;
  change.key = {std::to_string(id)};
  change.payload = {Cell::of(customer), Cell::of("1.50"), Cell::null()};
  change.lsn = lsn;
  change.position = Position{{lsn, 0, 0}};
  return change;
}

Change ordersRemoval(std::int64_t id, std::int64_t lsn) {
  Change change;
  change.key = {std::to_string(id)};
  change.deleted = true;
  change.lsn = lsn;
  change.position = Position{{lsn, 0, 0}};
  return change;
}

}  // namespace tidemark::test
