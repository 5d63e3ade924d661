#include "tests/e2e/postgres/backfill_world.h"

// What writes nothing: checks, audits with a role that can only read, and the certification that clears up behind it.

namespace tidemark::test {
namespace {

using nlohmann::json;

/// Everything that stands in a database, system catalogues apart.
std::string inventory(const BackfillWorld& world) {
  return world.sink(
      "SELECT n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
      "WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1, 2; "
      "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' ORDER BY 1");
}

TEST(Certification, GivesTheTableOfTheLawAndLeavesNothingBehind) {
  BackfillWorld world;
  world.makeOrders(10);
  const std::string before = inventory(world);
  const CommandResult certified = world.ctl({"certify", "--json"});
  EXPECT_EQ(certified.status, 0) << certified.errors;
  const json sinks = resultOf(certified).at("sinks");
  ASSERT_EQ(sinks.size(), 5u);
  const auto expectSink = [&](std::size_t at, const std::string& name, bool twice, bool replay, bool late, int shuffles,
                              int logs) {
    const json& sink = sinks.at(at);
    EXPECT_EQ(sink.at("name"), name);
    EXPECT_EQ(sink.at("same_batch_twice"), twice) << name;
    EXPECT_EQ(sink.at("replay_one_by_one"), replay) << name;
    EXPECT_EQ(sink.at("late_update_after_delete"), late) << name;
    EXPECT_EQ(sink.at("shuffles_that_differ"), shuffles) << name;
    EXPECT_TRUE(logs < 0 || sink.at("random_logs_that_fail") == logs) << name << sink.dump();
  };
  expectSink(0, "guarded", true, true, true, 0, 0);
  expectSink(1, "no_guard", false, false, false, 188, 414);
  expectSink(2, "newest_timestamp", true, true, true, 141, 155);
  expectSink(3, "newest_timestamp_strict", true, true, true, 65, -1);
  expectSink(4, "physical_delete", false, false, false, 130, 127);
  EXPECT_EQ(sinks.at(0).at("orders_that_differ"), 0);
  EXPECT_EQ(inventory(world), before);
}

class Audit : public ::testing::Test {
 protected:
  Audit() {
    world.makeOrders(5000);
    world.server.sql("CREATE ROLE auditor LOGIN");
    world.source("GRANT SELECT ON orders TO auditor");
    world.sink("GRANT SELECT ON orders TO auditor; REVOKE TEMPORARY ON DATABASE warehouse FROM PUBLIC");
  }
  void connectAsAuditor() {
    world.profile["source"]["connection"] = world.server.connection("shop", "auditor");
    world.profile["sink"]["connection"] = world.server.connection("warehouse", "auditor");
  }
  BackfillWorld world;
};

TEST_F(Audit, ARoleThatCanOnlyReadFindsAndCountsEverything) {
  world.loseRows(5000, 50);
  connectAsAuditor();
  const std::string before = inventory(world);
  const CommandResult verified = world.ctl({"verify", "--json"});
  EXPECT_EQ(verified.status, 4) << verified.errors;
  EXPECT_EQ(differencesOf(verified), differences(50, 50, 50));
  EXPECT_EQ(resultOf(verified).at("differences").size(), 150u);
  const CommandResult swept = world.ctl({"sweep", "--preview", "--json"});
  EXPECT_EQ(swept.status, 4) << swept.errors;
  EXPECT_EQ(resultOf(swept).at("ghosts"), 50);
  EXPECT_EQ(resultOf(swept).at("source_keys"), 5000);
  EXPECT_EQ(inventory(world), before) << "no schema, no table";
  EXPECT_EQ(world.sink("SELECT count(*) FROM orders WHERE deleted OR pos <> 1000"), "0\n");
}

TEST_F(Audit, FindsNothingWhereNothingIsWrong) {
  connectAsAuditor();
  const CommandResult verified = world.ctl({"verify", "--json"});
  EXPECT_EQ(verified.status, 0) << verified.errors;
  EXPECT_EQ(differencesOf(verified), differences(0, 0, 0));
  EXPECT_EQ(world.ctl({"sweep", "--preview"}).status, 0);
}

TEST_F(Audit, AHealthyPairPassesEveryCheckWithoutAWarning) {
  // A consumer of the slot, as a connector is one.
  ChildProcess consumer(serverPrograms() / "pg_recvlogical",
                        {"-d", world.server.connection("shop"), "--slot", "live", "--start", "-f", "/dev/null"});
  ASSERT_TRUE(eventually("the slot is read", [&] {
    return world.source("SELECT active FROM pg_replication_slots WHERE slot_name = 'live'") == "t\n";
  }));
  const CommandResult checked = world.ctl({"check", "--json"});
  EXPECT_EQ(checked.status, 0) << checked.errors;
  const json report = resultOf(checked);
  EXPECT_EQ(report.at("passed"), true);
  EXPECT_GT(report.at("findings").size(), 30u);
  for (const json& finding : report.at("findings")) EXPECT_EQ(finding.at("result"), "pass") << finding.dump();
}

}  // namespace
}  // namespace tidemark::test
