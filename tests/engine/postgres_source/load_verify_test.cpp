// Load and verification read a real PostgreSQL source; the sink is the strict one in memory.
#include "engine/load/load.h"
#include "engine/load/reread.h"
#include "engine/verify/verify.h"
#include "tests/engine/postgres_source/source_fixture.h"
#include "tests/support/fake_database.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {
namespace {

class PostgresLoad : public ::testing::Test {
 protected:
  PostgresLoad() {
    m_server.sql(
        "CREATE TABLE lines (order_id bigint, sku text, note text, paid boolean NOT NULL, PRIMARY KEY (order_id, sku));"
        "INSERT INTO lines SELECT n, 'sku ' || (n % 7), CASE WHEN n % 3 = 0 THEN NULL ELSE repeat('x', n % 40) END, "
        "n % 2 = 0 FROM generate_series(-500, 1499) n");
    m_source = openPostgresSource(m_server.connection(), "");
    m_mapping = mappingOf(*m_source, "public.lines");
    m_table.emplace(m_mapping);
    m_sink.emplace(*m_table, [](const Key&, const Row& row) { return row.at(1).text == "true"; });
  }

  LoadRequest request(const KeyRange& range = {}, int number = 1) {
    LoadRequest made;
    made.mapping = m_mapping;
    made.scope.range = range;
    made.boundary = m_source->captureBoundary({}, {}, {});
    made.segmentNumber = number;
    made.keyFile = m_folder / ("segment-" + std::to_string(number));
    made.pace.batchRows = 100;
    made.pace.longestPause = std::chrono::seconds(0);
    return made;
  }

  VerifyReport compare(const Scope& scope) {
    VerifyOptions options;
    options.rowsPerBucket = 300;
    return verify(*m_source, *m_sink, m_mapping, scope, options, {}, m_progress);
  }

  PostgresServer m_server;
  TemporaryFolder m_folder;
  std::unique_ptr<Source> m_source;
  TableMapping m_mapping;
  std::optional<FakeSinkTable> m_table;
  std::optional<FakeSink> m_sink;
  PauseControl m_control;
  NoProgress m_progress;
};

TEST_F(PostgresLoad, TwoSegmentsCoverTheTableAndVerificationFindsThemEqual) {
  const LoadRequest first = request();
  const Segment early = loadSegment(
      *m_source, *m_sink, first, m_control,
      [&](const Segment& segment) {
        if (segment.rowsRead != 300) return;
        // Below the segment's last key, so that a count taken now would not be the list's.
        m_server.sql("INSERT INTO lines VALUES (-900, 'new', 'new', true)");
        m_control.pause("operator");
      },
      {}, m_progress);
  EXPECT_TRUE(early.closed);
  EXPECT_FALSE(early.complete);
  EXPECT_EQ(early.keys.summary.count, 300U);
  EXPECT_EQ(early.keysAtSource, 300U);
  m_control.resume();
  const LoadRequest second = request(*rangeAfter({}, early, early.complete), 2);
  const Segment last = loadSegment(*m_source, *m_sink, second, m_control, {}, {}, m_progress);
  EXPECT_TRUE(last.complete);
  EXPECT_EQ(last.keysAtSource, 1700U);
  checkKeyCount(*m_source, *m_sink, m_mapping, early, first.keyFile, {});

  VerifyReport report = compare({});
  ASSERT_EQ(report.differences.size(), 1U);
  EXPECT_EQ(report.differences.front().key, (Key{"-900", "new"}));
  EXPECT_EQ(report.missing, 1U);
  rereadKeys(*m_source, *m_sink, m_mapping, std::vector<Key>{report.differences.front().key}, {}, {}, {});
  report = compare({});
  EXPECT_EQ(report.differingFirstPass, 0U);
  EXPECT_EQ(report.sourceRows, 2001U);
  EXPECT_EQ(report.sourceDigest, report.sinkDigest);
}

TEST_F(PostgresLoad, ARowThatLeftTheFilterIsLoaded) {
  LoadRequest made = request();
  made.scope.filter = made.scope.sinkFilter = "paid";
  loadSegment(*m_source, *m_sink, made, m_control, {}, {}, m_progress);
  EXPECT_EQ(m_table->live().size(), 1000U);
  m_server.sql("UPDATE lines SET paid = false WHERE order_id BETWEEN 100 AND 109");
  EXPECT_EQ(compare(made.scope).stale, 5U);

  made.boundary = m_source->captureBoundary({}, {}, {});
  const Segment segment = loadSegment(*m_source, *m_sink, made, m_control, {}, {}, m_progress);
  EXPECT_EQ(segment.keys.summary.count, 2000U);
  EXPECT_EQ(segment.rowsLoaded, 1000U) << "995 of the filter, and 5 that left it";
  EXPECT_EQ(compare(made.scope).differingFirstPass, 0U);
}

}  // namespace
}  // namespace tidemark::test
