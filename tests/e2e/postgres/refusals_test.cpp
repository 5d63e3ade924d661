#include "engine/postgres/postgres_sink.h"
#include "tests/e2e/postgres/interference.h"

// What cannot go well is refused before anything is written: the thing, the reason and the way out are named.

namespace tidemark::test {
namespace {

using nlohmann::json;

class Refusals : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    s_world = std::make_unique<BackfillWorld>();
    s_profile = s_world->profile;
    s_world->server.sql("CREATE ROLE reader LOGIN PASSWORD 'right'; CREATE ROLE loader LOGIN");
  }
  static void TearDownTestSuite() { s_world.reset(); }

  void SetUp() override {
    const std::string fresh =
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC;";
    world().source(fresh + "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
    world().sink(fresh + "DROP SCHEMA IF EXISTS tidemark CASCADE");
    world().profile = s_profile;
    world().answers = BackfillWorld::goodAnswers();
    world().makeOrders(50);
  }
  static BackfillWorld& world() { return *s_world; }

  static void expectWords(const CommandResult& command, int status, const std::vector<std::string>& words) {
    EXPECT_EQ(command.status, status) << command.errors;
    for (const std::string& word : words)
      EXPECT_NE(command.errors.find(word), std::string::npos) << "not said: " << word << "\n" << command.errors;
  }
  /// `check` and `run` both refuse, in these words, and nothing has been written.
  static void expectRefused(int checkStatus, int runStatus, const std::vector<std::string>& words) {
    CommandResult checked = world().ctl({"check"});
    checked.errors += checked.output;
    expectWords(checked, checkStatus, words);
    expectWords(world().ctl({"run", "--json"}), runStatus, words);
    EXPECT_EQ(world().sink("SELECT count(*) FROM pg_namespace WHERE nspname = 'tidemark'"), "0\n");
  }
  /// A gate is shut: `check` and `run` end with 3.
  static void expectGateShut(const std::vector<std::string>& words) { expectRefused(3, 3, words); }
  static void connectSourceAs(const std::string& role) {
    world().profile["source"]["connection"] = world().server.connection("shop", role);
  }
  static void connectSinkAs(const std::string& role) {
    world().profile["sink"]["connection"] = world().server.connection("warehouse", role);
  }
  /// Gates that stopped a run, by id.
  static std::vector<std::string> shutGates(const CommandResult& run) {
    std::vector<std::string> gates;
    const json result = resultOf(run);
    for (const json& obstacle : result.at("obstacles")) gates.push_back(obstacle.at("gate"));
    return gates;
  }

 private:
  static std::unique_ptr<BackfillWorld> s_world;
  static json s_profile;
};

std::unique_ptr<BackfillWorld> Refusals::s_world;
json Refusals::s_profile;

TEST_F(Refusals, AWrongPassword) {
  world().profile["source"]["connection"] = world().server.networkConnection("shop", "reader");
  for (const char* command : {"run", "check", "verify"}) {
    const auto wrong = world().startCtl({command}, {{"PGPASSWORD", "wrong"}, {"PGPASSFILE", "/dev/null"}});
    expectWords(resultOf(*wrong), 1,
                {"the server refused the password for", "reader", "What to do:", ".pgpass", "postgres.wrong_password"});
    const auto none = world().startCtl({command}, {{"PGPASSFILE", "/dev/null"}});
    expectWords(resultOf(*none), 1, {"asks for a password and none was found", "What to do:", ".pgpass"});
  }
}

TEST_F(Refusals, APasswordInTheProfile) {
  world().profile["source"]["connection"] = world().server.connection("shop") + " password=secret";
  const CommandResult run = world().ctl({"run"});
  expectWords(run, 1, {"source.connection", "holds a password", "What to do:"});
  EXPECT_EQ(run.errors.find("secret"), std::string::npos) << run.errors;
}

TEST_F(Refusals, ADatabaseThatIsNotThere) {
  world().profile["sink"]["connection"] = world().server.connection("nowhere");
  expectRefused(1, 1, {"the database does not exist", "nowhere", "What to do:", "postgres.no_database"});
}

TEST_F(Refusals, ATableThatIsNotThere) {
  world().profile["source"]["table"] = "public.commands";
  expectRefused(1, 3, {"public.commands", "Check schema"});
  world().profile["source"]["table"] = "public.orders";
  world().profile["sink"]["table"] = "archive.orders";
  expectRefused(1, 3, {"archive.orders", "Check schema"});
}

TEST_F(Refusals, ASourceWithoutPrimaryKey) {
  world().source("ALTER TABLE orders DROP CONSTRAINT orders_pkey");
  expectRefused(1, 3, {"public.orders has no primary key", "add a primary key"});
  world().source("CREATE UNIQUE INDEX ON orders (id); ALTER TABLE orders ALTER id DROP NOT NULL");
  expectRefused(1, 3, {"public.orders has no primary key", "add a primary key"});
}

TEST_F(Refusals, ASinkWithoutPrimaryKey) {
  world().sink("ALTER TABLE orders DROP CONSTRAINT orders_pkey; CREATE UNIQUE INDEX ON orders (id)");
  expectGateShut({"no primary key", "ADD PRIMARY KEY (id)"});
}

TEST_F(Refusals, ADeferrableKey) {
  const std::string deferrable = "ALTER TABLE orders DROP CONSTRAINT orders_pkey, ADD PRIMARY KEY (id) DEFERRABLE";
  world().source(deferrable);
  expectGateShut({"The primary key is not deferrable", "make the key NOT DEFERRABLE"});
  world().source("ALTER TABLE orders DROP CONSTRAINT orders_pkey, ADD PRIMARY KEY (id)");
  world().sink(deferrable);
  expectGateShut({"id (deferrable)", "make it NOT DEFERRABLE"});
}

TEST_F(Refusals, APositionColumnThatCannotGuard) {
  world().sink("ALTER TABLE orders ALTER pos DROP NOT NULL");
  expectGateShut({"pos accepts NULL", "set it NOT NULL"});
  world().sink("ALTER TABLE orders ALTER pos SET NOT NULL, ALTER pos TYPE text");
  expectGateShut({"pos is text", "Make the column bigint"});
  world().sink("ALTER TABLE orders DROP pos");
  expectRefused(1, 3, {"public.orders has no column pos", "Correct the name in the profile, or add the column"});
}

TEST_F(Refusals, APayloadThatRefusesNullAndHasNoFiller) {
  world().sink("ALTER TABLE orders ALTER customer SET NOT NULL");
  expectGateShut({"customer refuses NULL", "name a filler in the profile"});
  world().profile["sink"]["columns"]["fillers"] = {{"customer", "(deleted)"}};
  EXPECT_EQ(world().ctl({"check"}).status, 0);
}

TEST_F(Refusals, RowSecurityAtTheSourceIsNeverSwept) {
  world().source(
      "GRANT SELECT ON orders TO reader; ALTER TABLE orders ENABLE ROW LEVEL SECURITY;"
      "CREATE POLICY few ON orders USING (id <= 10)");
  connectSourceAs("reader");
  expectGateShut({"No policy hides rows from this role", "row security is active for reader", "BYPASSRLS"});
  for (const auto& command : {std::vector<std::string>{"sweep", "--preview"}, {"verify"}}) {
    expectWords(world().ctl(command), 1, {"row-level security policy", "What to do:", "BYPASSRLS"});
  }
  EXPECT_EQ(world().sink("SELECT count(*) FROM orders WHERE deleted"), "0\n");
}

TEST_F(Refusals, RowSecurityAtTheSink) {
  world().sink(
      "GRANT ALL ON orders TO loader; ALTER TABLE orders ENABLE ROW LEVEL SECURITY;"
      "CREATE POLICY few ON orders USING (id <= 10)");
  connectSinkAs("loader");
  expectGateShut({"Row security hides nothing", "policies apply to this role", "BYPASSRLS"});
}

TEST_F(Refusals, TriggersAndForeignKeysUnlessASecondPersonWaivesThem) {
  world().sink(
      "CREATE TABLE customers (name text PRIMARY KEY); INSERT INTO customers SELECT DISTINCT customer FROM orders;"
      "ALTER TABLE orders ADD CONSTRAINT known FOREIGN KEY (customer) REFERENCES customers;"
      "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
      "CREATE TRIGGER tells BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION tell()");
  const CommandResult refused = world().ctl({"run", "--dry-run", "--json"});
  expectWords(refused, 3, {"No foreign keys: known (public.orders refers to public.customers)", "No triggers: tells"});
  EXPECT_EQ(shutGates(refused), (std::vector<std::string>{"sink.foreign_keys", "sink.triggers"}));
  const json waiver{{"reason", "customers are never deleted"}, {"second_person", "Sam"}};
  world().answers["2"]["waive"] = {{"sink.foreign_keys", waiver}, {"sink.triggers", waiver}};
  const CommandResult waived = world().ctl({"run", "--dry-run", "--json"});
  EXPECT_EQ(resultOf(waived).at("end"), "not_armed") << waived.errors;
}

TEST_F(Refusals, AColumnTypeThatIsNotCarried) {
  world().source("ALTER TABLE orders ADD place point");
  world().sink("ALTER TABLE orders ADD place point");
  expectRefused(1, 3, {"place", "point"});
}

TEST_F(Refusals, AFilterThatIsNoCondition) {
  const std::string attack = "id > 1; drop table orders";
  for (const auto& [filter, reason] :
       std::vector<std::pair<std::string, std::string>>{{"status = ", "the filter is no condition"},
                                                        {attack, "it holds a semicolon"},
                                                        {"colour = 'red'", "colour"},
                                                        {"id > 1) or (true", "the filter is no condition"}}) {
    for (const auto& command : {std::vector<std::string>{"check"}, {"verify"}, {"sweep", "--preview"}}) {
      std::vector<std::string> line = command;
      line.insert(line.end(), {"--filter", filter});
      expectWords(world().ctl(line), 1, {reason, "What to do:", "filter.does_not_parse"});
    }
    world().answers["1"]["filter"] = filter;
    expectWords(world().ctl({"run"}), 3, {reason, "Filter is understood"});
  }
  EXPECT_EQ(world().source("SELECT count(*) FROM orders") + world().sink("SELECT count(*) FROM orders"), "50\n50\n");
}

TEST_F(Refusals, ARoleWithoutRights) {
  connectSourceAs("reader");
  expectGateShut({"The role may read the table: no SELECT", "Grant SELECT"});
  connectSourceAs("postgres");
  connectSinkAs("loader");
  expectGateShut({"missing: SELECT on the table, INSERT on the table, UPDATE on the table, CREATE on the database",
                  "Grant what is missing"});
  world().sink("REVOKE TEMPORARY ON DATABASE warehouse FROM PUBLIC; GRANT SELECT, UPDATE ON orders TO loader");
  expectGateShut({"missing: INSERT on the table, TEMPORARY on the database, CREATE on the database"});
  world().sink("GRANT TEMPORARY ON DATABASE warehouse TO PUBLIC");
}

TEST_F(Refusals, ARoleThatMayNotMakeSchemasNeedsAnAdministratorOnce) {
  world().sink("GRANT SELECT, INSERT, UPDATE ON orders TO loader");
  connectSinkAs("loader");
  const std::unique_ptr<Sink> shown = openPostgresSink(world().server.connection("warehouse", "loader"));
  std::string script;
  for (const std::string& statement : shown->schemaStatements()) script += statement + ";\n";
  const CommandResult refused = world().ctl({"run", "--json"});
  expectWords(refused, 3, {"CREATE on the database, or the schema tidemark made by an administrator"});
  world().sink(script +
               "GRANT USAGE, CREATE ON SCHEMA tidemark TO loader;"
               "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tidemark TO loader");
  expectAllStepsPassed(world().ctl({"run", "--json"}));
}

TEST_F(Refusals, AStandbyAsSource) {
  const PostgresServer standby(PostgresServer::StandbyOf{world().server});
  world().profile["source"]["connection"] = standby.connection("shop");
  expectGateShut({"The source is a primary: standby", "name the primary"});
  expectWords(world().ctl({"sweep", "--preview"}), 1, {"is a standby", "What to do: Name the primary"});
}

TEST_F(Refusals, ASinkThatIsDroppedHalfWay) {
  const auto run = world().startCtl({"run"});
  ASSERT_TRUE(said(*run, "step 3 Rehearse")) << run->error();
  postgres::Connection other(world().sinkConnection());
  other.begin();
  other.exec("LOCK TABLE public.orders IN ACCESS EXCLUSIVE MODE");
  ASSERT_TRUE(waitsForALock(world(), *run)) << run->error();
  other.exec("DROP TABLE public.orders");
  other.commit();
  const CommandResult ended = resultOf(*run);
  EXPECT_TRUE(ended.status == 1 || ended.status == 3) << ended.errors;
  expectWords(ended, ended.status, {"orders", "Check schema"});
  const CommandResult resumed = world().ctl({"resume", world().runId()});
  EXPECT_NE(resumed.status, 0);
  expectWords(resumed, resumed.status, {"public.orders", "Check schema"});
}

}  // namespace
}  // namespace tidemark::test
