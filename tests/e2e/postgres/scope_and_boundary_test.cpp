#include "tests/e2e/postgres/interference.h"
#include "tests/e2e/postgres/live_feed.h"

// What a run reads, and what it waits for before it reads.

namespace tidemark::test {
namespace {

using nlohmann::json;

TEST(FilterOnAColumnThatChanges, LoadsTheRowsThatLeftItAndMarksNoneOfThem) {
  BackfillWorld world;
  world.makeOrders(5000);
  // The sink lost these changes: rows that left the filter, and one in a column beside it.
  world.source(
      "UPDATE orders SET status = 'closed' WHERE id % 10 = 3; UPDATE orders SET total = 7 WHERE id % 10 = 4;"
      "SELECT pg_replication_slot_advance('live', pg_current_wal_lsn())");
  world.sink(
      "INSERT INTO orders SELECT 9000 + g, 'ghost', 'new', 1, NULL, now(), 1000 FROM generate_series(1, 20) AS g;"
      "INSERT INTO orders SELECT 9500 + g, 'beside', 'closed', 1, NULL, now(), 1000 FROM generate_series(1, 20) AS g");
  world.answers["1"]["filter"] = "status = 'new'";
  const std::vector<std::string> verify{"verify", "--json", "--filter", "status = 'new'"};
  EXPECT_EQ(differencesOf(world.ctl(verify)), differences(0, 1000, 20));
  expectAllStepsPassed(world.ctl({"run", "--json"}));
  EXPECT_EQ(differencesOf(world.ctl(verify)), differences(0, 0, 0));
  EXPECT_EQ(world.sink("SELECT count(*) FROM orders WHERE id % 10 = 3 AND id <= 5000 AND NOT deleted AND "
                       "status = 'closed' AND pos > 1000"),
            "500\n");
  EXPECT_EQ(world.sink("SELECT string_agg(id::text, ',' ORDER BY id) FROM orders WHERE deleted"),
            world.sink("SELECT string_agg((9000 + g)::text, ',' ORDER BY g) FROM generate_series(1, 20) AS g"));
}

class BoundaryWait : public ::testing::Test {
 protected:
  BoundaryWait() {
    world.makeOrders(2000);
    const json waiver{{"reason", "it is what the test is about"}, {"second_person", "Sam"}};
    world.answers["4"]["waive"]["log.prepared"] = waiver;
  }
  void prepare() {
    world.source("BEGIN; UPDATE orders SET status = 'paid' WHERE id = 7; PREPARE TRANSACTION 'payment-4711'");
  }
  BackfillWorld world;
};

TEST_F(BoundaryWait, NamesAPreparedTransactionAndGivesUpAfterTheLimit) {
  prepare();
  world.profile["limits"]["boundary_timeout_seconds"] = 1;
  const CommandResult late = world.ctl({"run", "--json"});
  EXPECT_EQ(late.status, 1);
  for (const char* words : {"boundary held back by prepared transaction 'payment-4711'", "no boundary after",
                            "ROLLBACK PREPARED", "boundary.timeout"})
    EXPECT_NE(late.errors.find(words), std::string::npos) << "not said: " << words << "\n" << late.errors;
  world.source("COMMIT PREPARED 'payment-4711'");
  LiveFeed feed(world);
  expectAllStepsPassed(world.ctl({"resume", world.runId(), "--json"}));
  feed.drainAndStop();
  world.expectOrdersEqual();
  EXPECT_EQ(world.sink("SELECT status FROM orders WHERE id = 7"), "paid\n");
}

TEST_F(BoundaryWait, NamesWhoWaitsForAStandbyAndWaitsWithThem) {
  world.server.sql("ALTER DATABASE warehouse SET synchronous_commit = local");
  world.server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  world.server.sql("SELECT pg_reload_conf()");
  ChildProcess psql(serverPrograms() / "psql", {"-X", "-q", "-d", world.server.connection("shop"), "-c",
                                                "UPDATE orders SET status = 'seen by no reader yet' WHERE id = 8"});
  ASSERT_TRUE(eventually("the update waits for a standby", [&] {
    return world.source("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "1\n";
  }));
  LiveFeed feed(world);
  const auto run = world.startCtl({"run", "--json"});
  ASSERT_TRUE(said(*run, "waits on SyncRep")) << run->error();
  EXPECT_EQ(run->error().find("step 7"), std::string::npos) << "nothing was read yet";
  world.server.sql("SET synchronous_commit = local; ALTER SYSTEM RESET synchronous_standby_names");
  world.server.sql("SELECT pg_reload_conf()");
  ASSERT_TRUE(said(*run, "step 7")) << run->error();
  // Only a later change shows that the stream has gone past the boundary.
  world.source("UPDATE orders SET note = 'later' WHERE id = 9");
  expectAllStepsPassed(resultOf(*run));
  feed.drainAndStop();
  world.expectOrdersEqual();
  EXPECT_EQ(world.sink("SELECT status FROM orders WHERE id = 8"), "seen by no reader yet\n");
}

}  // namespace
}  // namespace tidemark::test
