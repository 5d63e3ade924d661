#include <gtest/gtest.h>

#include "tests/engine/postgres_source/source_fixture.h"

namespace tidemark::test {
namespace {

class LogicalStreamTest : public ::testing::Test {
 protected:
  LogicalStreamTest() {
    m_server.sql(R"sql(
CREATE TABLE t (id bigint, "odd[name]:x" text, money numeric(20,4), yes boolean, day date, moment timestamp,
  instant timestamptz, tag uuid, doc jsonb, raw bytea, big text, PRIMARY KEY (id));
ALTER TABLE t ALTER COLUMN big SET STORAGE EXTERNAL)sql");
    LogicalStream::createSlot(m_server.connection(), "stream");
    m_source = openPostgresSource(m_server.connection(), "stream");
    m_mapping = mappingOf(*m_source, "public.t");
  }
  PostgresServer m_server;
  std::unique_ptr<Source> m_source;
  TableMapping m_mapping;
};

TEST_F(LogicalStreamTest, DecodesToWhatTheSourceReads) {
  LogicalStream stream(m_server.connection(), "stream");
  m_server.sql(R"sql(
INSERT INTO t VALUES (1, E'it''s "q" [x]: null\n', 1234567890123456.7890, true, '2024-02-29', '2024-02-29 01:02:03.45',
  '2024-02-29 01:02:03+00', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{"a": "b c"}', '\x00ff10fe', 'small'),
 (9223372036854775807, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL))sql");
  const std::vector<Change> changes = changesOf(stream.readAll(), m_mapping);
  const std::vector<StoredRow> rows = allRows(*m_source->rows(m_mapping, {}));
  ASSERT_EQ(changes.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_EQ(changes[at].key, rows[at].key);
    EXPECT_EQ(changes[at].payload, rows[at].payload);
    EXPECT_TRUE(changes[at].firstElementNull) << "no commit was streamed before";
  }
  EXPECT_LT(changes[0].lsn, changes[1].lsn);
}

TEST_F(LogicalStreamTest, SaysUpdatesKeyChangesDeletesAndLeftOutColumns) {
  LogicalStream stream(m_server.connection(), "stream");
  m_server.sql("INSERT INTO t (id, money, big) VALUES (1, 1, repeat('x', 9000))");
  m_server.sql("UPDATE t SET money = 2 WHERE id = 1");
  m_server.sql("UPDATE t SET id = 2 WHERE id = 1");
  m_server.sql("DELETE FROM t WHERE id = 2");
  const std::vector<std::string> lines = stream.read();
  EXPECT_EQ(stream.read(), lines) << "the same again until confirmed";
  const std::vector<Change> changes = changesOf(lines, m_mapping);
  ASSERT_EQ(changes.size(), 5u);
  EXPECT_TRUE(changes[1].payload.back().isLeftOut());
  EXPECT_FALSE(changes[1].firstElementNull);
  EXPECT_TRUE(changes[2].deleted);
  EXPECT_EQ(changes[2].key, Key{"1"});
  EXPECT_EQ(changes[3].key, Key{"2"});
  EXPECT_EQ(changes[2].lsn, changes[3].lsn) << "both halves of a key change have one position";
  EXPECT_TRUE(changes[4].deleted);
  std::size_t tombstones = 0;
  for (const std::string& line : lines) tombstones += line.ends_with("\"value\":null}") ? 1 : 0;
  EXPECT_EQ(tombstones, 2u);
  stream.confirm();
  EXPECT_GT(stream.lastCommit(), changes[4].lsn);
  EXPECT_TRUE(stream.read().empty());
  m_server.sql("TRUNCATE t");
  EXPECT_NE(stream.readAll().at(0).find("\"op\":\"t\""), std::string::npos);
}

}  // namespace
}  // namespace tidemark::test
