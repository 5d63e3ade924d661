#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "tests/engine/postgres_sink/postgres_database.h"
#include "tests/support/thrown_code.h"

namespace tidemark::test {
namespace {

LockHolder holderOf(const std::string& run) {
  return {run, "ann", "console-1", 4711, "2026-01-02T03:04:05Z"};
}

class PostgresSchema : public testing::Test {
 protected:
  PostgresSchema() : m_sink(openPostgresSink(m_database.connection())) { m_database.sql(kCreateOrders); }

  PostgresDatabase m_database;
  std::unique_ptr<Sink> m_sink;
};

TEST_F(PostgresSchema, TheStatementsShownAreThoseThatMakeIt) {
  const std::vector<std::string> statements = m_sink->schemaStatements();
  ASSERT_FALSE(statements.empty());
  for (const std::string& statement : statements) m_database.sql(statement);
  EXPECT_TRUE(m_sink->schemaStatements().empty());
  m_sink->ensureSchema();
  m_database.sql("DROP TABLE tidemark.reread");
  EXPECT_EQ(m_sink->schemaStatements().size(), 1U);
  m_sink->ensureSchema();
  EXPECT_TRUE(m_sink->schemaStatements().empty());
}

TEST_F(PostgresSchema, ARoleNeedsNoRightToMakeSchemasWhenAnAdministratorDid) {
  const std::string role = "loader_" + m_database.name();
  m_database.sql("CREATE ROLE " + role + " LOGIN; GRANT SELECT, INSERT, UPDATE ON orders TO " + role);
  m_sink = openPostgresSink(m_database.connectionAs(role));
  EXPECT_EQ(codeOf([&] { m_sink->ensureSchema(); }), "sink.schema");
  EXPECT_EQ(codeOf([&] { m_sink->noteKeysToRead(ordersMapping(), std::vector<Key>{{"1"}}, "test"); }),
            "sink.no_schema");
  openPostgresSink(m_database.connection())->ensureSchema();
  m_database.sql("GRANT USAGE ON SCHEMA tidemark TO " + role +
                 "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tidemark TO " + role);
  m_sink->ensureSchema();
  m_sink->noteKeysToRead(ordersMapping(), std::vector<Key>{{"10"}, {"9"}}, "test");
  EXPECT_EQ(m_sink->keysToRead(ordersMapping(), 5), (std::vector<Key>{{"9"}, {"10"}}));
  m_sink->clearKeysToRead(ordersMapping(), std::vector<Key>{{"9"}}, kNoPosition);
  EXPECT_EQ(m_sink->keysToRead(ordersMapping(), 5), (std::vector<Key>{{"10"}}));
  EXPECT_EQ(m_sink->apply(ordersMapping(), std::vector<Change>{ordersRow(1, "a", 1)}).counts.inserted, 1U);
  m_sink.reset();
  m_database.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

TEST_F(PostgresSchema, ALivingHolderIsToldFromADeadOne) {
  m_sink->ensureSchema();
  auto first = openPostgresSink(m_database.connection());
  first->lockTable(ordersMapping(), holderOf("one"));
  const auto refusal = [&] {
    try {
      m_sink->lockTable(ordersMapping(), holderOf("two"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "sink.locked");
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_NE(refusal().find("run one (ann on console-1, process 4711, since 2026-01-02T03:04:05Z), whose session is "
                           "still connected"),
            std::string::npos);
  EXPECT_EQ(codeOf([&] { m_sink->breakLock(ordersMapping()); }), "sink.lock_alive");
  first.reset();
  for (int i = 0; i < 1000 && refusal().find("gone") == std::string::npos; ++i) continue;
  EXPECT_NE(refusal().find("whose session is gone"), std::string::npos);
  EXPECT_EQ(m_sink->lockHolder(ordersMapping())->runId, "one");
  m_sink->breakLock(ordersMapping());
  EXPECT_FALSE(m_sink->lockHolder(ordersMapping()).has_value());
  m_sink->lockTable(ordersMapping(), holderOf("two"));
  m_sink->unlockTable(ordersMapping(), "two");
  EXPECT_FALSE(m_sink->lockHolder(ordersMapping()).has_value());
}

TEST_F(PostgresSchema, TheSameRunTakesItsOwnLockOver) {
  m_sink->ensureSchema();
  openPostgresSink(m_database.connection())->lockTable(ordersMapping(), holderOf("one"));
  LockHolder resumed = holderOf("one");
  resumed.pid = 4712;
  m_sink->lockTable(ordersMapping(), resumed);
  m_sink->lockTable(ordersMapping(), resumed);
  EXPECT_EQ(m_sink->lockHolder(ordersMapping())->pid, 4712);
  EXPECT_EQ(codeOf([&] { openPostgresSink(m_database.connection())->lockTable(ordersMapping(), holderOf("two")); }),
            "sink.locked");
}

TEST_F(PostgresSchema, KeepsTheLineage) {
  EXPECT_FALSE(m_sink->storedLineage(ordersMapping()).has_value());
  m_sink->ensureSchema();
  const Lineage lineage{"7444000111222333444", 1, "slot"};
  m_sink->storeLineage(ordersMapping(), lineage);
  EXPECT_EQ(openPostgresReader(m_database.connection())->storedLineage(ordersMapping()), lineage);
}

TEST_F(PostgresSchema, DoubtfulChangesAreNotedInTheSameTransaction) {
  m_sink->ensureSchema();
  m_database.sql(
      "CREATE TABLE pairs (id bigint PRIMARY KEY, note text, c bigint NOT NULL, l bigint NOT NULL, "
      "deleted boolean NOT NULL)");
  TableMapping mapping;
  mapping.source = mapping.sink = {"public", "pairs"};
  mapping.key = {columnPair("id", ColumnKind::BigInt)};
  mapping.payload = {columnPair("note", ColumnKind::Text)};
  mapping.scheme = PositionScheme::CommitLsn;
  mapping.positionColumns = {"c", "l"};
  mapping.markerColumn = "deleted";
  const auto change = [](std::int64_t id, std::optional<std::int64_t> c, std::int64_t l) {
    Change made;
    made.key = {std::to_string(id)};
    made.payload = {Cell::of("l" + std::to_string(l))};
    made.lsn = l;
    made.firstElementNull = !c;
    made.position = changePosition(PositionScheme::CommitLsn, c, l);
    return made;
  };
  // Stored (100, 50). A change with no first element at 70 loses against it and may be newer all the same.
  m_sink->apply(mapping, std::vector<Change>{change(1, 100, 50), change(2, 100, 50)});
  const ApplyResult result =
      m_sink->apply(mapping, std::vector<Change>{change(1, {}, 70), change(1, 120, 110), change(2, {}, 40)});
  EXPECT_EQ(result.counts.doubtful, 1U);
  EXPECT_EQ(result.counts.updated, 1U);
  EXPECT_EQ(result.counts.skippedOlder, 1U);
  EXPECT_EQ(result.doubtful, std::vector<Key>{{"1"}});
  EXPECT_EQ(m_sink->keysToRead(mapping, 5), std::vector<Key>{{"1"}});
  m_sink->clearKeysToRead(mapping, std::vector<Key>{{"1"}}, Position{{60, 59, 0}});
  EXPECT_EQ(m_sink->keysToRead(mapping, 5).size(), 1U) << "a read below the change has not seen it";
  m_sink->clearKeysToRead(mapping, std::vector<Key>{{"1"}}, Position{{200, 199, 0}});
  EXPECT_TRUE(m_sink->keysToRead(mapping, 5).empty());
}

}  // namespace
}  // namespace tidemark::test
