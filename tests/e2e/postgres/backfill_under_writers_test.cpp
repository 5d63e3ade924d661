#include "engine/postgres/connection.h"
#include "tests/e2e/postgres/live_feed.h"

// The whole run on a table that never stands still: four writers, transactions that straddle the boundary and the read,
// a sink that has lost rows, kept old ones and never heard of deletes.

namespace tidemark::test {
namespace {

using nlohmann::json;

constexpr int kSeeded = 1000;  ///< Ghosts, stale and missing rows each.

/// A transaction of the source that stays open until the test ends it.
class OpenTransaction {
 public:
  OpenTransaction(const BackfillWorld& world, const std::string& statement)
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

void seedLosses(BackfillWorld& world, std::uint64_t rows) {
  const std::string step = std::to_string(rows / kSeeded);
  const std::string whole = std::to_string(rows);
  world.sink("DELETE FROM orders WHERE id % " + step +
             " = 1; UPDATE orders SET status = 'stale', total = 0 WHERE id % " + step +
             " = 2; INSERT INTO orders SELECT g + " + whole + ", 'ghost', 'new', 1, NULL, now()" +
             (world.profile["position_scheme"] == "lsn" ? ", 1000" : ", 1000, 1000") + " FROM generate_series(101, " +
             std::to_string(100 + kSeeded) + ") AS g");
}

json differencesOf(const CommandResult& verify) {
  const json report = resultOf(verify);
  return {{"missing", report.value("missing", -1)},
          {"ghost", report.value("ghost", -1)},
          {"stale", report.value("stale", -1)},
          {"other", report.value("different_at_same_position", -1)},
          {"in_flight", report.value("in_flight", -1)}};
}

const json kSeededDifferences{
    {"missing", kSeeded}, {"ghost", kSeeded}, {"stale", kSeeded}, {"other", 0}, {"in_flight", 0}};
const json kNoDifferences{{"missing", 0}, {"ghost", 0}, {"stale", 0}, {"other", 0}, {"in_flight", 0}};

/// Waits until the run has said `words` on standard error; false when it ended without.
bool said(ChildProcess& run, const std::string& words) {
  return eventually("the run says: " + words,
                    [&] { return run.errors().find(words) != std::string::npos || run.ended(); }) &&
         run.errors().find(words) != std::string::npos;
}

/// One transaction is older than the run and holds the boundary back until it was named; one begins between X and the
/// read, and ends after it.
void driveStraddlers(BackfillWorld& world, ChildProcess& run, OpenTransaction& older, std::uint64_t rows) {
  ASSERT_TRUE(said(run, "boundary held back by pid " + older.pid())) << run.errors();
  OpenTransaction overTheRead(world, straddle(rows + 2, "over the read"));
  older.commit();
  ASSERT_TRUE(said(run, "step 9 Run")) << run.errors();
  ASSERT_TRUE(eventually("the load has begun", [&] { return run.errors().find("load:") != std::string::npos; }));
  ASSERT_TRUE(said(run, "step 10 Drained")) << run.errors();
  overTheRead.commit();
}

void expectGhostsMarkedAndNothingElse(BackfillWorld& world, std::uint64_t rows) {
  const std::string ghosts = "id > " + std::to_string(rows + 100);
  EXPECT_EQ(world.sink("SELECT count(*) FROM orders WHERE deleted AND " + ghosts), "1000\n");
  EXPECT_EQ(world.sink("SELECT count(*) FROM orders WHERE NOT deleted AND " + ghosts), "0\n");
  EXPECT_EQ(world.sink("SELECT count(*), min(key[1]::bigint), max(key[1]::bigint) FROM tidemark.before_image"),
            "1000|" + std::to_string(rows + 101) + "|" + std::to_string(rows + 100 + kSeeded) + "\n");
}

void backfillUnderWriters(std::uint64_t rows, const std::string& scheme) {
  BackfillWorld world({{"max_wal_size", "4GB"}, {"checkpoint_timeout", "1h"}, {"shared_buffers", "256MB"}});
  world.makeOrders(rows, scheme);
  world.source("INSERT INTO orders SELECT g, 'straddled', 'old', 1, NULL, now() FROM generate_series(" +
               std::to_string(rows + 1) + ", " + std::to_string(rows + 2) + ") AS g");
  seedLosses(world, rows);
  // Where the ghosts are more than a hundredth of the rows, the cap is shut until a second person agrees.
  world.answers["11"]["waive"]["sweep.cap"] = {{"reason", "the ghosts are seeded"}, {"second_person", "Sam"}};
  {
    LiveFeed catchUp(world);
    catchUp.drainAndStop();
  }
  const CommandResult before = world.ctl({"verify", "--json"});
  EXPECT_EQ(before.status, 4) << before.errors;
  EXPECT_EQ(differencesOf(before), kSeededDifferences) << before.errors;

  Writers writers(world, rows, 300);
  LiveFeed feed(world);
  OpenTransaction older(world, straddle(rows + 1, "before the read"));
  const auto run = world.startCtl({"run", "--json"});
  driveStraddlers(world, *run, older, rows);
  const CommandResult ended{run->wait(), run->output(), run->errors()};
  expectAllStepsPassed(ended);
  writers.stop();
  feed.drainAndStop();
  EXPECT_EQ(feed.failures(), std::vector<std::string>{});

  for (int time = 0; time < 2; ++time) {
    const CommandResult after = world.ctl({"verify", "--json"});
    EXPECT_EQ(after.status, 0) << after.errors;
    EXPECT_EQ(differencesOf(after), kNoDifferences) << after.output;
  }
  world.expectOrdersEqual();
  expectGhostsMarkedAndNothingElse(world, rows);
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
