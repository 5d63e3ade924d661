#pragma once

#include "tests/engine/postgres_source/source_fixture.h"

namespace tidemark::test {

inline const Key kOne{"1"};

/// A server with a table of two rows and a slot that has seen nothing of them.
class BoundaryHazard : public ::testing::Test {
 protected:
  explicit BoundaryHazard(std::map<std::string, std::string> settings = {}) : m_server(std::move(settings)) {
    m_server.sql(
        "CREATE TABLE orders (id bigint PRIMARY KEY, status text NOT NULL);"
        "INSERT INTO orders VALUES (1, 'old'), (2, 'other')");
    LogicalStream::createSlot(m_server.connection(), "stream");
    m_source = openPostgresSource(m_server.connection(), "stream");
    m_mapping = mappingOf(*m_source, "public.orders");
    m_stream = std::make_unique<LogicalStream>(m_server.connection(), "stream");
  }

  std::int64_t insertPosition() { return m_source->newestPosition(); }
  std::vector<Change> streamed() { return changesOf(m_stream->readAll(), m_mapping); }
  /// Everything at once, in a snapshot of this moment: what a shortcut reads.
  std::vector<StoredRow> readNow() { return allRows(*m_source->rows(m_mapping, {})); }
  std::vector<StoredRow> readUnder(const Boundary& boundary) {
    return allRows(*m_source->openSegment(m_mapping, {}, boundary));
  }
  std::string sourceValue() { return m_server.sql("SELECT status FROM orders WHERE id = 1").substr(0, 3); }

  PostgresServer m_server;
  std::unique_ptr<Source> m_source;
  TableMapping m_mapping;
  std::unique_ptr<LogicalStream> m_stream;
};

}  // namespace tidemark::test
