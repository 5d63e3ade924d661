#include "engine/postgres/connection.h"
#include "tests/e2e/postgres/live_feed.h"

// The whole run on a table that never stands still: four writers, transactions that straddle the boundary and the read,
// a sink that has lost rows, kept old ones and never heard of deletes.

namespace tidemark::test {
namespace {

constexpr int kSeeded = 1000;  ///< Ghosts, stale and missing rows each.

/// A transaction of the source that stays open until the test ends it.
class OtherSession {
 public:
  OtherSession(const BackfillWorld& world, const std::string& statement)
      : m_connection(world.server.connection("shop")) {
    m_connection.begin();
    m_connection.exec(statement);
  }
  void commit() { m_connection.commit(); }
  std::string pid() const { return std::to_string(m_connection.backendPid()); }

 private:
  postgres::Connection m_connection;
};

/// Keys that the writers leave alone, so that what a straddling transaction wrote must be there in the end.
std::string straddle(std::uint64_t key, const std::string& status) {
  return "UPDATE public.orders SET status = '" + status + "' WHERE id = " + std::to_string(key);
}

/// One transaction is older than the run and holds the boundary back until it was named; one begins between X and the
/// read, and ends after it.
void driveStraddlers(BackfillWorld& world, ChildProcess& run, OtherSession& older, std::uint64_t rows) {
  ASSERT_TRUE(said(run, "boundary held back by pid " + older.pid())) << run.error();
  OtherSession overTheRead(world, straddle(rows + 2, "over the read"));
  older.commit();
  ASSERT_TRUE(said(run, "step 9 Run")) << run.error();
  ASSERT_TRUE(eventually("the load has begun", [&] { return run.error().find("load:") != std::string::npos; }));
  // Keys that have to be read again wait for this transaction as well: it ends when the load has, not later.
  ASSERT_TRUE(said(run, "Every part of the scope is loaded: 1 segment")) << run.error();
  overTheRead.commit();
}

void backfillUnderWriters(std::uint64_t rows, const std::string& scheme) {
  BackfillWorld world({{"max_wal_size", "4GB"}, {"checkpoint_timeout", "1h"}, {"shared_buffers", "256MB"}});
  world.makeOrders(rows, scheme);
  world.source("INSERT INTO orders SELECT g, 'straddled', 'old', 1, NULL, now() FROM generate_series(" +
               std::to_string(rows + 1) + ", " + std::to_string(rows + 2) + ") AS g");
  world.loseRows(rows, kSeeded);
  // Where the ghosts are more than a hundredth of the rows, the cap is shut until a second person agrees.
  world.answers["11"]["waive"]["sweep.cap"] = {{"reason", "the ghosts are seeded"}, {"second_person", "Sam"}};
  {
    LiveFeed catchUp(world);
    catchUp.drainAndStop();
  }
  const CommandResult before = world.ctl({"verify", "--json"});
  EXPECT_EQ(before.status, 4) << before.errors;
  EXPECT_EQ(differencesOf(before), differences(kSeeded, kSeeded, kSeeded)) << before.errors;

  Writers writers(world, rows, 300);
  LiveFeed feed(world);
  OtherSession older(world, straddle(rows + 1, "before the read"));
  const auto run = world.startCtl({"run", "--json"});
  driveStraddlers(world, *run, older, rows);
  expectAllStepsPassed(resultOf(*run));
  writers.stop();
  feed.drainAndStop();
  EXPECT_EQ(feed.failures(), std::vector<std::string>{});

  world.expectMended(rows, kSeeded);
  EXPECT_EQ(world.sink("SELECT status FROM orders WHERE id > " + std::to_string(rows) +
                       " AND id <= " + std::to_string(rows + 2) + " ORDER BY id"),
            "before the read\nover the read\n");
}

TEST(BackfillUnderWriters, MendsAMillionRows) {
  backfillUnderWriters(1000000, "lsn");
}

TEST(BackfillUnderWriters, MendsUnderTheSchemeOfTwoColumns) {
  backfillUnderWriters(50000, "commit-lsn");
}

}  // namespace
}  // namespace tidemark::test
