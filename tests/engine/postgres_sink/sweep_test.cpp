#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/postgres/postgres_sweep_sql.h"
#include "tests/engine/postgres_sink/postgres_database.h"
#include "tests/support/listed_keys.h"
#include "tests/support/thrown_code.h"

namespace tidemark::test {
namespace {

/// Keys 1 to `last` without every tenth.
class ManyKeys final : public KeyListReader {
 public:
  explicit ManyKeys(std::int64_t last) : m_last(last) {}
  bool next(Key& key) override {
    if (++m_at % 10 == 0) ++m_at;
    if (m_at > m_last) return false;
    key = {std::to_string(m_at)};
    return true;
  }

 private:
  std::int64_t m_last;
  std::int64_t m_at = 0;
};

class PostgresSweepTest : public testing::Test {
 protected:
  PostgresSweepTest() : m_sink(openPostgresSink(m_database.connection())) {
    m_sink->ensureSchema();
    m_database.sql(kCreateOrders);
    m_sink->apply(ordersMapping(), std::vector<Change>{ordersRow(1, "kept", 10), ordersRow(2, "ghost", 10),
                                                       ordersRow(3, "newer", 200), ordersRemoval(4, 10),
                                                       ordersRow(5, "ghost too", 11), ordersRow(9, "outside", 10)});
    m_request.runId = "run";
    m_request.scope.range.to = KeyBound{{"9"}, false};
    m_request.boundary = Position{{100, 0, 0}};
  }
  SweepPreview preview(std::vector<Key> keys) {
    ListedKeys list(std::move(keys));
    return m_sink->previewSweep(ordersMapping(), m_request, list, {}, m_progress);
  }
  std::string state() {
    return m_database.sql(
        "SELECT string_agg(id || ':' || coalesce(customer, '-') || ':' || deleted || ':' || lsn, "
        "' ' ORDER BY id) FROM orders");
  }

  PostgresDatabase m_database;
  std::unique_ptr<Sink> m_sink;
  SweepRequest m_request;
  NoProgress m_progress;
};

TEST_F(PostgresSweepTest, MarksExactlyWhatThePreviewShowedAndUndoPutsItBackAtTheBoundary) {
  const SweepPreview shown = preview({{"1"}, {"3"}});
  EXPECT_EQ(shown.ghosts, 2U);
  EXPECT_EQ(shown.liveInScope, 4U);
  ASSERT_EQ(shown.sample.size(), 2U);
  EXPECT_EQ(shown.sample[0].key, Key{"2"});
  EXPECT_EQ(shown.sample[1].payload[0], Cell::of("ghost too"));

  const SweepResult done = m_sink->commitSweep(ordersMapping(), m_request, 0);
  EXPECT_EQ(done.marked, 2U);
  EXPECT_EQ(done.noLongerQualified, 0U);
  EXPECT_EQ(state(), "1:kept:false:10 2:-:true:100 3:newer:false:200 4:-:true:10 5:-:true:100 9:outside:false:10");
  EXPECT_EQ(m_sink->beforeImages("run"), 2U);

  m_sink->apply(ordersMapping(), std::vector<Change>{ordersRow(5, "came back", 150)});
  const UndoResult undone = m_sink->undoSweep(ordersMapping(), "run");
  EXPECT_EQ(undone.restored, 1U);
  EXPECT_EQ(undone.changedSince, std::vector<Key>{{"5"}});
  EXPECT_EQ(state(),
            "1:kept:false:10 2:ghost:false:100 3:newer:false:200 4:-:true:10 5:came back:false:150 9:outside:false:10");
}

TEST_F(PostgresSweepTest, RollsBackWhenThePreviewNoLongerHolds) {
  EXPECT_EQ(preview({{"1"}, {"3"}}).ghosts, 2U);
  m_sink->apply(ordersMapping(), std::vector<Change>{ordersRow(2, "alive", 101)});
  const std::string before = state();
  EXPECT_EQ(codeOf([&] { m_sink->commitSweep(ordersMapping(), m_request, 0); }), "sweep.count_changed");
  EXPECT_EQ(state(), before);
  EXPECT_EQ(m_sink->beforeImages("run"), 0U);
  const SweepResult done = m_sink->commitSweep(ordersMapping(), m_request, 1);
  EXPECT_EQ(done.marked, 1U);
  EXPECT_EQ(done.noLongerQualified, 1U);
}

TEST_F(PostgresSweepTest, ASecondSweepFindsNothing) {
  preview({{"1"}, {"3"}});
  m_sink->commitSweep(ordersMapping(), m_request, 0);
  const std::string once = state();
  EXPECT_EQ(preview({{"1"}, {"3"}}).ghosts, 0U);
  EXPECT_EQ(m_sink->commitSweep(ordersMapping(), m_request, 0).marked, 0U);
  EXPECT_EQ(state(), once);
  EXPECT_EQ(m_sink->beforeImages("run"), 2U) << "the first sweep can still be undone";
  m_sink->forgetRun("run");
  EXPECT_EQ(m_sink->beforeImages("run"), 0U);
}

TEST_F(PostgresSweepTest, RefusesAListOutOfOrderAndAnUnknownOrOtherPreview) {
  EXPECT_EQ(codeOf([&] { preview({{"3"}, {"1"}}); }), "keys.not_sorted");
  EXPECT_EQ(codeOf([&] { m_sink->commitSweep(ordersMapping(), m_request, 0); }), "sweep.no_preview");
  preview({{"1"}, {"3"}});
  m_request.boundary = Position{{300, 0, 0}};
  EXPECT_EQ(codeOf([&] { m_sink->commitSweep(ordersMapping(), m_request, 0); }), "sweep.boundary_changed");
}

TEST_F(PostgresSweepTest, AFilterMayNameColumnsThatTheKeptImagesHaveToo) {
  m_database.sql("ALTER TABLE orders ADD COLUMN key text DEFAULT 'in', ADD COLUMN segment text DEFAULT 'in'");
  m_database.sql("UPDATE orders SET key = 'out' WHERE id = 5");
  m_request.scope.sinkFilter = "key = 'in' AND segment = 'in' -- and no more";
  EXPECT_EQ(preview({{"1"}, {"3"}}).ghosts, 1U);
  EXPECT_EQ(m_sink->commitSweep(ordersMapping(), m_request, 0).marked, 1U);
  EXPECT_EQ(m_sink->undoSweep(ordersMapping(), "run").restored, 1U);
}

TEST_F(PostgresSweepTest, ALongListIsHeldAgainstTheSinkChunkByChunk) {
  constexpr std::int64_t kLast = 1'200'000;
  m_database.sql("TRUNCATE orders; INSERT INTO orders SELECT n, 'c', 1, NULL, 1, false FROM generate_series(1, " +
                 std::to_string(kLast) + ") AS n; ANALYZE orders");
  m_request.scope.range = {};
  ManyKeys list(kLast);
  const SweepPreview shown = m_sink->previewSweep(ordersMapping(), m_request, list, {}, m_progress);
  EXPECT_EQ(shown.ghosts, static_cast<std::uint64_t>(kLast / 10));
  EXPECT_EQ(shown.sample.front().key, Key{"10"});
  EXPECT_EQ(m_sink->commitSweep(ordersMapping(), m_request, 0).marked, static_cast<std::uint64_t>(kLast / 10));
  EXPECT_EQ(m_database.sql("SELECT count(*) FILTER (WHERE deleted AND id % 10 = 0) || ' ' || "
                           "count(*) FILTER (WHERE deleted AND id % 10 <> 0) FROM orders"),
            std::to_string(kLast / 10) + " 0");
}

TEST_F(PostgresSweepTest, AStopLeavesNoTrace) {
  std::stop_source stop;
  stop.request_stop();
  ListedKeys list({{"1"}});
  EXPECT_THROW(m_sink->previewSweep(ordersMapping(), m_request, list, stop.get_token(), m_progress), Cancelled);
  EXPECT_EQ(codeOf([&] { m_sink->commitSweep(ordersMapping(), m_request, 0); }), "sweep.no_preview");
}

TEST_F(PostgresSweepTest, TheStatementShownIsTheOneThatRuns) {
  const std::string shown = m_sink->sweepStatement(ordersMapping(), m_request);
  EXPECT_NE(shown.find(postgres::markGhosts(ordersMapping(), m_request)), std::string::npos);
  EXPECT_NE(shown.find(postgres::keepBeforeImages(ordersMapping(), m_request)), std::string::npos);
  EXPECT_NE(shown.find("-- $1 = 'run'"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::test
