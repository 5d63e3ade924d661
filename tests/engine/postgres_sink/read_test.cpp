#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/postgres_sql.h"
#include "tests/engine/postgres_sink/postgres_database.h"

namespace tidemark::test {
namespace {

/// A table whose names have to be quoted in every way, with a key of several kinds.
TableMapping awkwardMapping() {
  TableMapping mapping;
  mapping.source = {"public", "plain"};
  mapping.sink = {"Odd \"schema\".x", "Ta.ble 'Größe' \"q\""};
  mapping.key = {columnPair("Region", ColumnKind::Text), columnPair("no.", ColumnKind::Integer),
                 columnPair("u\"id", ColumnKind::Uuid)};
  mapping.payload = {columnPair("select", ColumnKind::Text),       columnPair("Ünï", ColumnKind::Boolean),
                     columnPair("k1", ColumnKind::TimestampTz),    columnPair("v1", ColumnKind::Bytea),
                     columnPair("deleted", ColumnKind::Jsonb),     columnPair("when", ColumnKind::Date),
                     columnPair("row_number", ColumnKind::Numeric)};
  mapping.scheme = PositionScheme::CommitLsn;
  mapping.positionColumns = {"p1", "xmax\"2"};
  mapping.markerColumn = "t";
  return mapping;
}

const char* const kCreateAwkward =
    "CREATE SCHEMA \"Odd \"\"schema\"\".x\";"
    "CREATE TABLE \"Odd \"\"schema\"\".x\".\"Ta.ble 'Größe' \"\"q\"\"\" (\"Region\" text COLLATE \"en_US\", "
    "\"no.\" integer, \"u\"\"id\" uuid, \"select\" text, \"Ünï\" boolean, k1 timestamptz, v1 bytea, deleted jsonb, "
    "\"when\" date, row_number numeric, p1 bigint NOT NULL, \"xmax\"\"2\" bigint NOT NULL, t boolean NOT NULL, "
    "PRIMARY KEY (\"Region\", \"no.\", \"u\"\"id\"))";

Change awkwardRow(const std::string& region, int number, std::int64_t lsn) {
  Change change;
  change.key = {region, std::to_string(number), "7d444840-9dc0-11d1-b245-5ffdce74fad2"};
  change.payload = {Cell::of("tab\tback\\slash\nline 'quote'"),
                    Cell::of("true"),
                    Cell::of("2024-02-03 04:05:06.5+00"),
                    Cell::of("\\x00ff"),
                    Cell::of("{\"a\": [1, 2]}"),
                    Cell::of("2024-02-29"),
                    Cell::of("1.500")};
  change.lsn = lsn;
  change.position = Position{{lsn, lsn, 0}};
  return change;
}

std::vector<StoredRow> all(RowStream& stream) {
  std::vector<StoredRow> rows;
  StoredRow row;
  while (stream.next(row)) rows.push_back(row);
  return rows;
}

class PostgresRead : public testing::Test {
 protected:
  PostgresRead() : m_sink(openPostgresSink(m_database.connection())) { m_sink->ensureSchema(); }
  void createAwkward() {
    std::string statement = kCreateAwkward;
    // Some collation that is not bytewise; ICU's is there whatever locales the machine has.
    const std::string collation = "\"en-x-icu\"";
    statement.replace(statement.find("\"en_US\""), 7, "pg_catalog." + collation);
    m_database.sql(statement);
  }

  PostgresDatabase m_database;
  std::unique_ptr<Sink> m_sink;
};

TEST_F(PostgresRead, AwkwardNamesAndValuesGoThroughEveryFunction) {
  createAwkward();
  const TableMapping mapping = awkwardMapping();
  const std::vector<Change> batch{awkwardRow("b", 2, 10), awkwardRow("B", 10, 11), awkwardRow("a", 1, 12)};
  EXPECT_EQ(m_sink->apply(mapping, batch).counts.inserted, 3U);

  const auto rows = all(*m_sink->rows(mapping, {}, SinkRows::Live, {}, true));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].key, batch[1].key) << "bytewise, whatever the column's collation";
  EXPECT_EQ(rows[1].key, batch[2].key);
  EXPECT_EQ(rows[2].key, batch[0].key);
  EXPECT_EQ(rows[0].payload, batch[0].payload) << "canonical text comes back as it went in";
  EXPECT_EQ(rows[0].position, (Position{{11, 11, 0}}));

  const auto read =
      m_sink->readKeys(mapping, std::vector<Key>{batch[0].key, batch[2].key, {"zz", "1", batch[0].key[2]}});
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].key, batch[2].key);
  EXPECT_EQ(read[1].payload, batch[0].payload);

  Scope scope;
  scope.range.from = KeyBound{batch[1].key, false};
  scope.sinkFilter = "\"Ünï\"";
  EXPECT_EQ(m_sink->countLive(mapping, scope), 2U);
  EXPECT_EQ(all(*m_sink->rows(mapping, scope, SinkRows::LiveBelow, Position{{12, 12, 0}}, false)).size(), 1U);
  EXPECT_EQ(m_sink->newestPosition(mapping), (Position{{12, 12, 0}}));
  EXPECT_EQ(m_sink->lowestPosition(mapping), (Position{{10, 10, 0}}));

  class OneKey final : public KeyListReader {
   public:
    explicit OneKey(Key key) : m_key(std::move(key)) {}
    bool next(Key& key) override { return std::exchange(m_more, false) && (key = m_key, true); }

   private:
    Key m_key;
    bool m_more = true;
  } list(batch[2].key);
  NoProgress progress;
  const SweepRequest request{"run", {}, Position{{50, 49, 0}}};
  EXPECT_EQ(m_sink->previewSweep(mapping, request, list, {}, progress).ghosts, 2U);
  EXPECT_EQ(m_sink->commitSweep(mapping, request, 0).marked, 2U);
  EXPECT_EQ(m_sink->countMarkers(mapping, {}), 2U);
  EXPECT_EQ(m_sink->undoSweep(mapping, "run").restored, 2U);
  const auto restored = all(*m_sink->rows(mapping, {}, SinkRows::Live, {}, true));
  ASSERT_EQ(restored.size(), 3U);
  EXPECT_EQ(restored[0].payload, batch[0].payload);
}

TEST_F(PostgresRead, DigestsAgreeExactlyWhenTheContentDoes) {
  createAwkward();
  m_database.sql(
      "CREATE TABLE plain (\"Region\" varchar(9), \"no.\" integer, \"u\"\"id\" uuid, \"select\" text, "
      "\"Ünï\" boolean, k1 timestamptz, v1 bytea, deleted jsonb, \"when\" date, row_number numeric, "
      "PRIMARY KEY (\"Region\", \"no.\", \"u\"\"id\"))");
  TableMapping mapping = awkwardMapping();
  std::vector<Change> batch;
  for (int i = 0; i < 50; ++i) batch.push_back(awkwardRow(i % 2 == 0 ? "a" : "B", i, 10 + i));
  m_sink->apply(mapping, batch);
  m_database.sql(
      "INSERT INTO plain SELECT \"Region\", \"no.\", \"u\"\"id\", \"select\", \"Ünï\", k1, v1, deleted, "
      "\"when\", row_number FROM \"Odd \"\"schema\"\".x\".\"Ta.ble 'Größe' \"\"q\"\"\"");
  ASSERT_EQ(m_sink->digestMethods(mapping).size(), 1U);
  const auto sourceDigest = [&] {
    postgres::Connection connection(m_database.connection());
    const postgres::Result result = connection.exec(postgres::digestQuery(mapping, postgres::Side::Source, {}));
    RangeDigest digest;
    digest.rows = std::stoull(result.text(0, 0));
    digest.sum = std::stoull(result.text(0, 1));
    return digest;
  };
  const auto sinkDigest = [&] { return m_sink->digest(mapping, {}, m_sink->digestMethods(mapping).front()).value(); };
  EXPECT_TRUE(sinkDigest().sameContent(sourceDigest()));
  EXPECT_EQ(sinkDigest().rows, 50U);
  EXPECT_EQ(sinkDigest().highest, (Position{{59, 59, 0}}));

  // Equal to SQL, but not the same text: the digest must see it, as a comparison of text would.
  m_database.sql("UPDATE plain SET row_number = 1.5 WHERE \"no.\" = 7");
  EXPECT_FALSE(sinkDigest().sameContent(sourceDigest()));
  m_database.sql(
      "UPDATE plain SET row_number = 1.500 WHERE \"no.\" = 7; UPDATE plain SET \"select\" = NULL WHERE "
      "\"no.\" = 8");
  EXPECT_FALSE(sinkDigest().sameContent(sourceDigest()));
}

TEST_F(PostgresRead, ADigestOfTypesThatDifferIsNotOffered) {
  m_database.sql(kCreateOrders);
  EXPECT_EQ(m_sink->digestMethods(ordersMapping()).size(), 1U);
  m_database.sql("ALTER TABLE orders ALTER total TYPE numeric");
  EXPECT_TRUE(m_sink->digestMethods(ordersMapping()).empty());
}

TEST_F(PostgresRead, AFilterThatIsNoConditionIsRefused) {
  m_database.sql(kCreateOrders);
  const auto code = [&](const std::string& filter) -> std::string {
    try {
      m_sink->checkFilter(ordersMapping(), filter);
    } catch (const Error& error) {
      return error.code();
    }
    return "accepted";
  };
  EXPECT_EQ(code("customer = 'a' AND total > 1"), "accepted");
  EXPECT_EQ(code("customer ="), "filter.does_not_parse");
  EXPECT_EQ(code("no_such_column > 1"), "filter.does_not_parse");
  EXPECT_EQ(code("total"), "filter.does_not_parse");
  EXPECT_EQ(code("id = 1) OR (id = 2"), "filter.does_not_parse");
}

TEST_F(PostgresRead, AReaderCannotWriteWhateverItsRightsAre) {
  m_database.sql(kCreateOrders);
  m_sink->apply(ordersMapping(), std::vector<Change>{ordersRow(1, "a", 10)});
  m_database.sql(
      "CREATE FUNCTION canary() RETURNS boolean LANGUAGE sql VOLATILE AS "
      "$$ DELETE FROM public.orders RETURNING TRUE $$");
  const std::unique_ptr<SinkReader> reader = openPostgresReader(m_database.connection());
  const TableMapping mapping = ordersMapping();
  Scope writing;
  writing.sinkFilter = "public.canary()";  // A superuser's session: only the read-only transaction stands in the way.
  EXPECT_THROW(reader->countLive(mapping, writing), Error);
  EXPECT_THROW(all(*reader->rows(mapping, writing, SinkRows::Live, {}, true)), Error);
  EXPECT_THROW(reader->digest(mapping, writing, reader->digestMethods(mapping).front()), Error);
  EXPECT_THROW(reader->cloneReader()->countLive(mapping, writing), Error);
  EXPECT_EQ(m_database.sql("SELECT count(*) FROM orders"), "1");
  EXPECT_EQ(reader->countLive(mapping, {}), 1U) << "reading goes on";
  m_database.sql("SELECT public.canary()");
  EXPECT_EQ(m_database.sql("SELECT count(*) FROM orders"), "0") << "the canary does write where it may";
}

TEST_F(PostgresRead, AReaderNeedsSelectAlone) {
  m_database.sql(kCreateOrders);
  m_sink->apply(ordersMapping(), std::vector<Change>{ordersRow(1, "a", 10)});
  const std::string role = "auditor_" + m_database.name();
  m_database.sql("CREATE ROLE " + role + " LOGIN; GRANT SELECT ON orders, tidemark.lineage TO " + role +
                 "; GRANT USAGE ON SCHEMA tidemark TO " + role);
  {
    const auto reader = openPostgresReader(m_database.connectionAs(role));
    const TableMapping mapping = ordersMapping();
    EXPECT_EQ(reader->countLive(mapping, {}), 1U);
    EXPECT_EQ(all(*reader->rows(mapping, {}, SinkRows::Live, {}, true)).size(), 1U);
    EXPECT_EQ(reader->readKeys(mapping, std::vector<Key>{{"1"}}).size(), 1U);
    EXPECT_EQ(reader->storedLineage(mapping), std::nullopt);
    EXPECT_TRUE(reader->digest(mapping, {}, reader->digestMethods(mapping).front()).has_value());
    EXPECT_FALSE(reader->inspect(mapping, {}).empty());
  }
  m_database.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

}  // namespace
}  // namespace tidemark::test
