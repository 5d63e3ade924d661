#include <algorithm>

#include <gtest/gtest.h>

#include "tests/engine/postgres_source/source_fixture.h"

namespace tidemark::test {
namespace {

using postgres::Connection;

std::vector<Key> keysOf(const std::vector<StoredRow>& rows) {
  std::vector<Key> keys;
  for (const StoredRow& row : rows) keys.push_back(row.key);
  return keys;
}

class PostgresReading : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { s_server = std::make_unique<PostgresServer>(); }
  static void TearDownTestSuite() { s_server.reset(); }
  void SetUp() override {
    s_server->sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC");
    m_source = openPostgresSource(s_server->connection(), "");
  }

  /// A boundary that can be asked later whether this table has changed.
  Boundary captureFor(const TableMapping& mapping) {
    BoundaryOptions options;
    options.table = mapping.source;
    return m_source->captureBoundary(options, {}, nullptr);
  }
  std::vector<StoredRow> segment(const TableMapping& mapping, const Scope& scope) {
    // One boundary serves any number of reads; nobody writes meanwhile.
    if (!m_boundary) m_boundary = m_source->captureBoundary({}, {}, nullptr);
    return allRows(*m_source->openSegment(mapping, scope, *m_boundary));
  }
  std::vector<Key> keysIn(const TableMapping& mapping, const KeyRange& range) {
    Scope scope;
    scope.range = range;
    const std::vector<Key> keys = keysOf(segment(mapping, scope));
    EXPECT_EQ(m_source->countKeys(mapping, range), keys.size());
    EXPECT_EQ(keysOf(allRows(*m_source->rows(mapping, scope))), keys);
    return keys;
  }
  /// Ordered as the client orders them, cut into ranges without gaps or overlaps, found again one by one.
  void expectOneOrderOnBothSides(const std::string& table, std::size_t count) {
    const TableMapping mapping = mappingOf(*m_source, table);
    const std::vector<Key> all = keysIn(mapping, {});
    ASSERT_EQ(all.size(), count);
    for (std::size_t at = 1; at < all.size(); ++at)
      EXPECT_TRUE(compareKeys(mapping.keyKinds(), all[at - 1], all[at]) < 0)
          << displayKey(all[at - 1]) << " before " << displayKey(all[at]);
    const Key& low = all[1];
    const Key& high = all[count - 2];
    const std::vector<Key> inner(all.begin() + 1, all.end() - 1);
    EXPECT_EQ(keysIn(mapping, {KeyBound{low, true}, KeyBound{high, true}}), inner);
    EXPECT_EQ(keysIn(mapping, {KeyBound{low, false}, KeyBound{high, false}}),
              std::vector<Key>(inner.begin() + 1, inner.end() - 1));
    for (const std::uint64_t rows : {1u, 2u, 3u}) {
      std::vector<Key> pieced;
      const std::vector<KeyRange> ranges = m_source->splitRange(mapping, {KeyBound{low, true}, std::nullopt}, rows);
      EXPECT_EQ(ranges.size(), (count - 1 + rows - 1) / rows);
      for (const KeyRange& range : ranges)
        for (const Key& key : keysIn(mapping, range)) pieced.push_back(key);
      EXPECT_EQ(pieced, std::vector<Key>(all.begin() + 1, all.end()));
    }
    const Boundary boundary = m_source->captureBoundary({}, {}, nullptr);
    std::vector<Key> reversed(all.rbegin(), all.rend());
    reversed.push_back(all[0]);
    EXPECT_EQ(keysOf(m_source->readKeys(mapping, reversed, boundary)), all);
  }
  Finding finding(const TableMapping& mapping, const std::string& id) {
    for (const Finding& finding : m_source->inspect(mapping, {}))
      if (finding.id == id) return finding;
    ADD_FAILURE() << "no finding " << id;
    return {};
  }

  static std::unique_ptr<PostgresServer> s_server;
  std::unique_ptr<Source> m_source;
  std::optional<Boundary> m_boundary;
};

std::unique_ptr<PostgresServer> PostgresReading::s_server;

TEST_F(PostgresReading, DescribesEveryColumnAndTheKeyInItsOrder) {
  s_server->sql(
      "CREATE TABLE \"odd.Name\" (b text, dropped int, a numeric(12,2) NOT NULL, PRIMARY KEY (a, b));"
      "ALTER TABLE \"odd.Name\" DROP COLUMN dropped");
  const TableShape shape = m_source->describe({"public", "odd.Name"});
  ASSERT_EQ(shape.columns.size(), 2u);
  EXPECT_EQ(shape.columns[1].type.declared, "numeric(12,2)");
  EXPECT_EQ(shape.columns[1].type.scale, 2);
  EXPECT_FALSE(shape.columns[0].nullable);
  EXPECT_EQ(shape.key, (std::vector<std::size_t>{1, 0}));
}

TEST_F(PostgresReading, RefusesWhatIsNoTableAndTypesByName) {
  s_server->sql("CREATE VIEW seen AS SELECT 1 AS id; CREATE TABLE shapes (id int PRIMARY KEY, outline polygon)");
  EXPECT_EQ(errorOf([&] { m_source->describe({"public", "nothing"}); }).code(), "source.no_table");
  EXPECT_EQ(errorOf([&] { m_source->describe({"public", "seen"}); }).code(), "source.not_a_table");
  const Error type = errorOf([&] { m_source->describe({"public", "shapes"}); });
  EXPECT_NE(std::string(type.what()).find("outline"), std::string::npos) << type.what();
  EXPECT_NE(std::string(type.what()).find("polygon"), std::string::npos) << type.what();
}

TEST_F(PostgresReading, PrintsEveryTypeInItsCanonicalText) {
  s_server->sql(R"sql(
CREATE TABLE kinds (id int PRIMARY KEY, small smallint, whole integer, big bigint, exact numeric, money numeric(12,2),
  words text, short varchar(20), yes boolean, day date, moment timestamp, instant timestamptz, tag uuid, doc json,
  docb jsonb, raw bytea);
INSERT INTO kinds VALUES (1, -32768, 2147483647, -9223372036854775808, 12345678901234567890.123456789012345678901234567890,
  -0.50, E'tab\tnew\nline\\ ''q'' é€𝄞', '', true, '2024-02-29', '2024-02-29 23:59:59.120000', '2024-02-29 23:59:59.5-05',
  'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{"b": 1,  "a": [1.50]}', '{"b": 1,  "a": [1.50]}', '\x00FF5c'),
 (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (3, 0, 0, 0, 'NaN', 100, '', 'x', false, '0001-01-01', '1999-12-31 00:00:00', '1970-01-01 00:00:00+00',
  '00000000-0000-0000-0000-000000000000', 'null', 'null', '')
)sql");
  const std::vector<StoredRow> rows = segment(mappingOf(*m_source, "public.kinds"), {});
  ASSERT_EQ(rows.size(), 3u);
  const auto row = [](const std::vector<std::string>& texts) {
    Row cells;
    for (const std::string& text : texts) cells.push_back(Cell::of(text));
    return cells;
  };
  EXPECT_EQ(rows[0].payload,
            row({"-32768", "2147483647", "-9223372036854775808", "12345678901234567890.123456789012345678901234567890",
                 "-0.50", "tab\tnew\nline\\ 'q' é€𝄞", "", "true", "2024-02-29", "2024-02-29 23:59:59.12",
                 "2024-03-01 04:59:59.5+00", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{\"b\": 1,  \"a\": [1.50]}",
                 "{\"a\": [1.50], \"b\": 1}", "\\x00ff5c"}));
  EXPECT_EQ(rows[1].payload, Row(15, Cell::null()));
  EXPECT_EQ(rows[2].payload,
            row({"0", "0", "0", "NaN", "100.00", "", "x", "false", "0001-01-01", "1999-12-31 00:00:00",
                 "1970-01-01 00:00:00+00", "00000000-0000-0000-0000-000000000000", "null", "null", "\\x"}));
  const Boundary boundary = m_source->captureBoundary({}, {}, nullptr);
  const std::vector<Key> wanted{{"3"}, {"1"}, {"77"}};
  const std::vector<StoredRow> read = m_source->readKeys(mappingOf(*m_source, "public.kinds"), wanted, boundary);
  ASSERT_EQ(read.size(), 2u) << "a key that the source lacks is missing in the answer";
  EXPECT_EQ(read[0].payload, rows[0].payload);
  EXPECT_EQ(read[1].payload, rows[2].payload);
}

TEST_F(PostgresReading, IntegerKeysOrderByValue) {
  s_server->sql(
      "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g * 7 - 30, 'x' FROM "
      "generate_series(1, 12) g");
  expectOneOrderOnBothSides("public.t", 12);
}

TEST_F(PostgresReading, TextKeysOrderByBytesWhateverTheirCollation) {
  s_server->sql(
      "CREATE TABLE t (id text COLLATE \"en-x-icu\" PRIMARY KEY, v text); INSERT INTO t SELECT u, 'x' FROM "
      "unnest(ARRAY['a', 'B', 'ä', 'A b', 'a''b', E'a\\\\b', 'Z', '10', '9', '', '{\"q\",}', E'a\\tb']) u");
  expectOneOrderOnBothSides("public.t", 12);
}

TEST_F(PostgresReading, UuidKeysOrderByBytes) {
  s_server->sql(
      "CREATE TABLE t (id uuid PRIMARY KEY, v text); INSERT INTO t SELECT md5(g::text)::uuid, 'x' FROM "
      "generate_series(1, 12) g");
  expectOneOrderOnBothSides("public.t", 12);
}

TEST_F(PostgresReading, CompositeKeysOrderByTheirColumnsInTurn) {
  s_server->sql(
      "CREATE TABLE t (sku text COLLATE \"en-x-icu\", v text, order_id bigint, day date, "
      "PRIMARY KEY (order_id, sku, day)); INSERT INTO t SELECT s, 'x', o, '2024-01-01' FROM "
      "generate_series(9, 12) o, unnest(ARRAY['b', 'B', 'ß']) s");
  expectOneOrderOnBothSides("public.t", 12);
}

TEST_F(PostgresReading, LargeTablesAreSplitBySamplingIntoRangesOfAboutTheSize) {
  s_server->sql(
      "CREATE TABLE t (a text, b int, PRIMARY KEY (a, b)) WITH (fillfactor = 10); INSERT INTO t SELECT "
      "md5(g::text), g FROM generate_series(1, 100000) g; ANALYZE t");
  const TableMapping mapping = mappingOf(*m_source, "public.t");
  const std::vector<KeyRange> ranges = m_source->splitRange(mapping, {}, 10000);
  EXPECT_GE(ranges.size(), 6u);
  EXPECT_LE(ranges.size(), 15u);
  std::uint64_t total = 0;
  for (const KeyRange& range : ranges) total += m_source->countKeys(mapping, range);
  EXPECT_EQ(total, 100000u) << "the ranges cover everything once";
  EXPECT_FALSE(ranges.front().from);
  EXPECT_FALSE(ranges.back().to);
}

TEST_F(PostgresReading, AFilterChoosesPayloadsNeverKeys) {
  s_server->sql(
      "CREATE TABLE t (id int PRIMARY KEY, status text, note text); INSERT INTO t VALUES (1, 'open', NULL), "
      "(2, 'shut', 'x'), (3, NULL, 'y'), (4, 'open', 'z')");
  const TableMapping mapping = mappingOf(*m_source, "public.t");
  Scope scope;
  scope.filter = "t.status = 'open'";
  scope.range = {KeyBound{{"1"}, true}, KeyBound{{"4"}, false}};
  const std::vector<StoredRow> rows = segment(mapping, scope);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[0].inFilter);
  EXPECT_EQ(rows[0].payload, (Row{Cell::of("open"), Cell::null()}));
  EXPECT_FALSE(rows[1].inFilter);
  EXPECT_TRUE(rows[1].payload.empty());
  EXPECT_FALSE(rows[2].inFilter) << "a condition that is unknown does not hold";
  EXPECT_EQ(keysOf(allRows(*m_source->rows(mapping, scope))), (std::vector<Key>{{"1"}}));
  EXPECT_NE(m_source->loadStatement(mapping, scope).find("IN ACCESS SHARE MODE"), std::string::npos);
}

TEST_F(PostgresReading, ASegmentCountsInItsOwnSnapshotEvenBeforeItsEnd) {
  s_server->sql(
      "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, 'x' FROM generate_series(1, "
      "100000) g");
  const TableMapping mapping = mappingOf(*m_source, "public.t");
  const Boundary boundary = m_source->captureBoundary({}, {}, nullptr);
  const std::unique_ptr<SegmentStream> stream = m_source->openSegment(mapping, {}, boundary);
  s_server->sql("INSERT INTO t VALUES (0, 'later'); DELETE FROM t WHERE id > 50000");
  StoredRow row;
  for (int read = 0; read < 10; ++read) ASSERT_TRUE(stream->next(row));
  EXPECT_EQ(row.key, Key{"10"});
  EXPECT_EQ(stream->countInSnapshot({std::nullopt, KeyBound{{"10"}, true}}), 10u);
  EXPECT_EQ(stream->countInSnapshot({}), 100000u);
  EXPECT_EQ(m_source->countKeys(mapping, {}), 50001u);
}

TEST_F(PostgresReading, RowSecurityThatWouldHideRowsIsRefused) {
  s_server->sql(
      "DROP ROLE IF EXISTS limited; CREATE ROLE limited LOGIN; CREATE TABLE t (id int PRIMARY KEY, v text);"
      "INSERT INTO t VALUES (1, 'seen'), (2, 'hidden'); GRANT SELECT ON t TO limited;"
      "ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (v = 'seen')");
  const std::unique_ptr<Source> limited = openPostgresSource(s_server->connection("postgres", "limited"), "");
  const TableMapping mapping = mappingOf(*limited, "public.t");
  bool refused = false;
  for (const Finding& finding : limited->inspect(mapping, {}))
    if (finding.id == "source.row_security") refused = finding.severity == Severity::Failure;
  EXPECT_TRUE(refused);
  EXPECT_EQ(finding(mapping, "source.row_security").severity, Severity::Pass) << "the superuser sees everything";
  const Boundary boundary = limited->captureBoundary({}, {}, nullptr);
  EXPECT_EQ(errorOf([&] { allRows(*limited->openSegment(mapping, {}, boundary)); }).code(), "postgres.row_security");
  EXPECT_EQ(errorOf([&] { limited->countKeys(mapping, {}); }).code(), "postgres.row_security");
}

TEST_F(PostgresReading, ARoleThatCanOnlyReadIsEnough) {
  s_server->sql(
      "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; CREATE TABLE t (id int PRIMARY KEY, v text);"
      "INSERT INTO t VALUES (1, 'x'); GRANT SELECT ON t TO reader");
  const std::unique_ptr<Source> reader = openPostgresSource(s_server->connection("postgres", "reader"), "");
  const TableMapping mapping = mappingOf(*reader, "public.t");
  for (const Finding& finding : reader->inspect(mapping, {}))
    EXPECT_EQ(finding.severity, Severity::Pass) << finding.id << ": " << finding.measured;
  const Boundary boundary = reader->captureBoundary({}, {}, nullptr);
  EXPECT_EQ(allRows(*reader->openSegment(mapping, {}, boundary)).size(), 1u);
  reader->confirmRead(boundary, {});
  EXPECT_EQ(reader->readKeys(mapping, std::vector<Key>{{"1"}}, boundary).size(), 1u);
  s_server->sql("REVOKE SELECT ON t FROM reader; GRANT SELECT (id) ON t TO reader");
  bool refused = false;
  for (const Finding& finding : reader->inspect(mapping, {}))
    if (finding.id == "source.rights") refused = finding.severity == Severity::Failure;
  EXPECT_TRUE(refused);
}

TEST_F(PostgresReading, InspectionNamesWhatIsWrongWithATable) {
  s_server->sql(
      "CREATE UNLOGGED TABLE bare (id int, v text); CREATE TABLE t (id int PRIMARY KEY, v text);"
      "ALTER TABLE t REPLICA IDENTITY NOTHING; CREATE TABLE child () INHERITS (t)");
  TableMapping mapping = mappingOf(*m_source, "public.t");
  EXPECT_EQ(finding(mapping, "source.primary_key").severity, Severity::Pass);
  EXPECT_EQ(finding(mapping, "source.replica_identity").severity, Severity::Warning);
  EXPECT_EQ(finding(mapping, "source.inheritance").severity, Severity::Failure);
  s_server->sql("ALTER TABLE t ALTER COLUMN v TYPE int USING 0");
  EXPECT_EQ(finding(mapping, "source.types_match").severity, Severity::Failure);
  s_server->sql("ALTER TABLE t ALTER COLUMN v TYPE interval USING '0'");
  EXPECT_NE(finding(mapping, "source.types").measured.find("v interval"), std::string::npos);
  s_server->sql("ALTER TABLE t DROP COLUMN v");
  EXPECT_NE(finding(mapping, "source.columns").measured.find("v"), std::string::npos);
  mapping.key[0].source = "other";
  EXPECT_EQ(finding(mapping, "source.key_matches").severity, Severity::Failure);
  mapping.source.name = "bare";
  EXPECT_EQ(finding(mapping, "source.primary_key").severity, Severity::Failure);
  EXPECT_EQ(finding(mapping, "source.logged").severity, Severity::Failure);
  mapping.source.name = "gone";
  EXPECT_EQ(finding(mapping, "source.table").severity, Severity::Failure);
}

TEST_F(PostgresReading, KeysWithoutOneOrderOnBothSidesAreRefused) {
  s_server->sql(
      "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
      "CREATE TABLE t (id text COLLATE loose PRIMARY KEY, v text);"
      "CREATE TABLE j (id jsonb PRIMARY KEY, v text); CREATE TABLE good (id text PRIMARY KEY, v text)");
  EXPECT_EQ(finding(mappingOf(*m_source, "public.t"), "source.key_types").severity, Severity::Failure);
  EXPECT_EQ(finding(mappingOf(*m_source, "public.j"), "source.key_types").severity, Severity::Failure);
  EXPECT_EQ(finding(mappingOf(*m_source, "public.good"), "source.key_types").severity, Severity::Pass);
}

TEST_F(PostgresReading, PartitionedTablesAreReadAsOne) {
  s_server->sql(
      "CREATE TABLE t (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);"
      "CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (50);"
      "CREATE TABLE high PARTITION OF t FOR VALUES FROM (50) TO (1000);"
      "INSERT INTO t SELECT g, 'x' FROM generate_series(1, 100) g");
  const TableMapping mapping = mappingOf(*m_source, "public.t");
  EXPECT_EQ(keysIn(mapping, {}).size(), 100u);
  EXPECT_EQ(m_source->splitRange(mapping, {}, 30).size(), 4u);
  EXPECT_EQ(m_source->estimate(mapping, {}).rows, 100u);
  const Boundary boundary = captureFor(mapping);
  EXPECT_EQ(m_source->unchangedSince(mapping, boundary), true);
  s_server->sql("UPDATE t SET v = 'y' WHERE id = 99");
  EXPECT_EQ(m_source->unchangedSince(mapping, boundary), false);
}

TEST_F(PostgresReading, FiltersThatAreNoConditionsAreRefusedWithoutRunning) {
  s_server->sql("CREATE TABLE t (id int PRIMARY KEY, status text); INSERT INTO t VALUES (1, 'open')");
  const TableMapping mapping = mappingOf(*m_source, "public.t");
  for (const char* good : {"status = 'open'", "id > 1 OR (status IS NULL AND id <> 3)", "status = 'a;b--c/*d)'",
                           "status = $q$;)$q$", "public.t.id = 1", "status = E'it\\'s;'", "1 / (id - 1) > 0"})
    EXPECT_NO_THROW(m_source->checkFilter(mapping, good)) << good;
  for (const char* bad :
       {"", "  ", "status = ", "nothing = 1", "id", "id = 1; DELETE FROM public.t", "id = 1) OR (TRUE", "TRUE) -- ",
        "TRUE /* ", "id = $1", "status = 'open", "(id = 1", "count(*) > 1", "status = E'it\\'; --"})
    EXPECT_EQ(errorOf([&] { m_source->checkFilter(mapping, bad); }).code(), "filter.does_not_parse") << bad;
  Scope escaping;
  escaping.filter = "id = 1) OR (TRUE";
  EXPECT_EQ(errorOf([&] { m_source->rows(mapping, escaping); }).code(), "filter.does_not_parse");
  EXPECT_EQ(s_server->sql("SELECT count(*) FROM t"), "1\n");
}

TEST_F(PostgresReading, DigestsAreEqualExactlyWhenContentsAre) {
  s_server->sql(
      "CREATE TABLE t (id bigint PRIMARY KEY, v text, n numeric, doc jsonb); INSERT INTO t SELECT g, 'v' || g, "
      "g, '{}' FROM generate_series(1, 1000) g; CREATE TABLE u (LIKE t INCLUDING ALL); INSERT INTO u SELECT * "
      "FROM t");
  const TableMapping t = mappingOf(*m_source, "public.t");
  const TableMapping u = mappingOf(*m_source, "public.u");
  const std::vector<DigestMethod> methods = m_source->digestMethods(t);
  ASSERT_EQ(methods.size(), 1u);
  const RangeDigest whole = m_source->digest(t, {}, methods[0]).value();
  EXPECT_EQ(whole.rows, 1000u);
  EXPECT_TRUE(whole.sameContent(m_source->digest(u, {}, methods[0]).value()));
  s_server->sql("UPDATE u SET n = 7.0 WHERE id = 7");
  EXPECT_FALSE(whole.sameContent(m_source->digest(u, {}, methods[0]).value())) << "7 and 7.0 are two texts";
  EXPECT_FALSE(m_source->digest(t, {}, {"other"}));
  Scope filtered;
  filtered.filter = "id > 990";
  EXPECT_EQ(m_source->digest(t, filtered, methods[0])->rows, 10u);
}

TEST_F(PostgresReading, EstimatesAreCountedWhereThatIsCheap) {
  s_server->sql(
      "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, 'x' FROM generate_series(1, "
      "60000) g; ANALYZE t");
  const TableMapping mapping = mappingOf(*m_source, "public.t");
  const TableEstimate whole = m_source->estimate(mapping, {});
  EXPECT_FALSE(whole.exact);
  EXPECT_NEAR(static_cast<double>(whole.rows), 60000, 6000);
  EXPECT_GT(whole.bytes, 1000000u);
  Scope scope;
  scope.range.to = KeyBound{{"100"}, true};
  const TableEstimate part = m_source->estimate(mapping, scope);
  EXPECT_TRUE(part.exact);
  EXPECT_EQ(part.rows, 100u);
  EXPECT_LT(part.bytes, whole.bytes / 100);
}

TEST_F(PostgresReading, TellsWhetherATableChangedSinceTheBoundary) {
  s_server->sql(
      "CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE other (id int PRIMARY KEY, v text);"
      "INSERT INTO t VALUES (1, 'x')");
  Connection observer(s_server->connection());
  // psql returns before its server process has handed in its counts and gone.
  const auto wait = [&] {
    waitUntil(observer, "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name IN ('psql', 'busy')");
  };
  wait();
  const TableMapping mapping = mappingOf(*m_source, "public.t");
  const Boundary boundary = captureFor(mapping);
  EXPECT_EQ(m_source->unchangedSince(mapping, boundary), true);
  s_server->sql("INSERT INTO other VALUES (1, 'x')");
  wait();
  EXPECT_EQ(m_source->unchangedSince(mapping, boundary), true);
  {
    Connection busy(s_server->connection());
    busy.execScript("SET application_name TO 'busy'");
    EXPECT_EQ(m_source->unchangedSince(mapping, boundary), std::nullopt) << "its counts may be on their way";
    busy.execScript("BEGIN; UPDATE public.t SET v = 'y'");
    EXPECT_EQ(m_source->unchangedSince(mapping, boundary), false) << "a writer holds its lock";
    busy.commit();
  }
  wait();
  EXPECT_EQ(m_source->unchangedSince(mapping, boundary), false);
  const Boundary next = captureFor(mapping);
  EXPECT_EQ(m_source->unchangedSince(mapping, next), true);
  const std::unique_ptr<Source> later = openPostgresSource(s_server->connection(), "");
  EXPECT_EQ(later->unchangedSince(mapping, next), true) << "the boundary brings along what is compared";
  s_server->sql("TRUNCATE t");
  wait();
  EXPECT_EQ(m_source->unchangedSince(mapping, next), false);
  EXPECT_EQ(later->unchangedSince(mapping, next), false);
  const Boundary unmarked = m_source->captureBoundary({}, {}, nullptr);
  EXPECT_EQ(m_source->unchangedSince(mapping, unmarked), std::nullopt) << "no table was named";
}

TEST_F(PostgresReading, TheLogsStateIsMeasured) {
  const auto severityOf = [](const std::vector<Finding>& findings, const std::string& id) {
    for (const Finding& finding : findings)
      if (finding.id == id) return finding.severity;
    ADD_FAILURE() << "no finding " << id;
    return Severity::Unknown;
  };
  EXPECT_EQ(severityOf(m_source->inspectLog(), "log.slot"), Severity::Warning) << "the profile names none";
  const std::unique_ptr<Source> missing = openPostgresSource(s_server->connection(), "nowhere");
  EXPECT_EQ(severityOf(missing->inspectLog(), "log.slot"), Severity::Failure);
  LogicalStream::createSlot(s_server->connection(), "measured");
  const std::unique_ptr<Source> source = openPostgresSource(s_server->connection(), "measured");
  const std::vector<Finding> findings = source->inspectLog();
  for (const char* id : {"log.wal_level", "log.slot", "log.wal_status", "log.restart_lsn", "log.safe_wal_size",
                         "log.retained", "log.prepared", "log.oldest_transaction"})
    EXPECT_EQ(severityOf(findings, id), Severity::Pass) << id;
  EXPECT_EQ(severityOf(findings, "log.slot_active"), Severity::Warning);
  s_server->sql(
      "ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'; SELECT pg_reload_conf(); CREATE TABLE t (v text);"
      "INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 4000)");
  const std::unique_ptr<Source> limited = openPostgresSource(s_server->connection(), "measured");
  EXPECT_EQ(severityOf(limited->inspectLog(), "log.retained"), Severity::Failure);
  s_server->sql(
      "ALTER SYSTEM RESET max_slot_wal_keep_size; SELECT pg_reload_conf(); SELECT "
      "pg_drop_replication_slot('measured')");
}

TEST_F(PostgresReading, ALostSessionIsOpenedAgainAndNamesItsServer) {
  EXPECT_NE(m_source->describeConnection().find("PostgreSQL "), std::string::npos);
  EXPECT_NE(m_source->describeConnection().find(" as postgres"), std::string::npos);
  const std::string before = m_source->lineage().display();
  s_server->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidemark'");
  EXPECT_EQ(errorOf([&] { m_source->lineage(); }).code(), "postgres.lost");
  EXPECT_EQ(m_source->lineage().display(), before);
  EXPECT_EQ(m_source->clone()->lineage().display(), before);
}

}  // namespace
}  // namespace tidemark::test
