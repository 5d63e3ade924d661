#include "tests/e2e/postgres/backfill_world.h"

#include <chrono>
#include <fstream>
#include <thread>

namespace tidemark::test {

namespace {

using nlohmann::json;

constexpr auto kPatience = std::chrono::minutes(2);
constexpr auto kPollInterval = std::chrono::milliseconds(20);

const char* const kOrderColumns =
    "id bigint PRIMARY KEY, customer text NOT NULL, status text NOT NULL, total numeric(12,2) NOT NULL, note text, "
    "updated_at timestamptz NOT NULL";
const char* const kSinkOrderColumns =
    "id bigint PRIMARY KEY, customer text, status text, total numeric(12,2), note text, updated_at timestamptz";

// The same on both sides, so that a seeded sink is an exact copy.
std::string orderRows(std::uint64_t rows) {
  return "SELECT g, 'customer ' || g % 5000, 'new', (g % 100000) / 100.0, "
         "CASE WHEN g % 1000 = 0 THEN (SELECT string_agg(md5(g::text || '-' || part), '') "
         "FROM generate_series(1, 120) AS part) WHEN g % 10 = 0 THEN 'note ' || g END, "
         "timestamptz '2026-01-01 00:00:00+00' + g * interval '1 millisecond' FROM generate_series(1, " +
         std::to_string(rows) + ") AS g";
}

bool takes(const std::string& command, const std::string& option) {
  if (option == "--profile")
    return command != "resume" && command != "undo" && command != "report" && command != "runs";
  if (option == "--runs")
    return command == "run" || command == "resume" || command == "undo" || command == "report" || command == "runs";
  return command == "run" || command == "resume";
}

}  // namespace

bool eventually(const std::string& what, const std::function<bool()>& isSo) {
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!isSo()) {
    if (std::chrono::steady_clock::now() > limit) {
      ADD_FAILURE() << "never came true: " << what;
      return false;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

BackfillWorld::BackfillWorld(std::map<std::string, std::string> settings, Servers servers) : server(settings) {
  if (servers == Servers::Two) m_sinkServer = std::make_unique<PostgresServer>(settings);
  server.sql("CREATE DATABASE shop");
  sinkServer().sql("CREATE DATABASE warehouse");
  profile = {{"name", "shop orders"},
             {"environment", "staging"},
             {"source",
              {{"system", "postgresql"},
               {"connection", server.connection("shop")},
               {"table", "public.orders"},
               {"slot", "live"}}},
             {"sink",
              {{"system", "postgresql"},
               {"connection", sinkConnection()},
               {"table", "public.orders"},
               {"columns", {{"position", {"pos"}}, {"marker", "deleted"}}}}},
             {"position_scheme", "lsn"}};
}

void BackfillWorld::makeOrders(std::uint64_t rows, const std::string& scheme) {
  const bool two = scheme == "commit-lsn";
  profile["position_scheme"] = scheme;
  profile["sink"]["columns"]["position"] = two ? json{"pos", "pos_change"} : json{"pos"};
  source("CREATE TABLE orders (" + std::string(kOrderColumns) + "); INSERT INTO orders " + orderRows(rows) +
         "; ANALYZE orders; SELECT pg_create_logical_replication_slot('live', 'test_decoding')");
  const std::string positions = std::string("pos bigint NOT NULL") + (two ? ", pos_change bigint NOT NULL" : "");
  sink("CREATE TABLE orders (" + std::string(kSinkOrderColumns) + ", " + positions +
       ", deleted boolean NOT NULL DEFAULT false); INSERT INTO orders SELECT rows.*, 1000" + (two ? ", 1000" : "") +
       " FROM (" + orderRows(rows) + ") AS rows; ANALYZE orders");
}

void BackfillWorld::loseRows(std::uint64_t rows, std::uint64_t each) {
  const std::string step = std::to_string(rows / each);
  const std::string positions = profile["position_scheme"] == "lsn" ? ", 1000" : ", 1000, 1000";
  sink("DELETE FROM orders WHERE id % " + step + " = 0 AND id <= " + std::to_string(rows) +
       "; UPDATE orders SET status = 'stale', total = 0 WHERE id % " + step + " = 2 AND id <= " + std::to_string(rows) +
       "; INSERT INTO orders SELECT g + " + std::to_string(rows + 100) + ", 'ghost', 'new', 1, NULL, now()" +
       positions + " FROM generate_series(1, " + std::to_string(each) + ") AS g");
}

void BackfillWorld::expectMended(std::uint64_t rows, std::uint64_t each) {
  for (int time = 0; time < 2; ++time) {
    const CommandResult verified = ctl({"verify", "--json"});
    EXPECT_EQ(verified.status, 0) << verified.errors;
    EXPECT_EQ(differencesOf(verified), differences(0, 0, 0)) << verified.output;
  }
  expectOrdersEqual();
  const std::string first = std::to_string(rows + 101);
  const std::string last = std::to_string(rows + 100 + each);
  const std::string count = std::to_string(each);
  EXPECT_EQ(sink("SELECT count(*) FROM orders WHERE deleted AND id >= " + first), count + "\n");
  EXPECT_EQ(sink("SELECT count(*), min(key[1]::bigint), max(key[1]::bigint) FROM tidemark.before_image"),
            count + "|" + first + "|" + last + "\n");
}

json BackfillWorld::goodAnswers(const std::string& sinkTable) {
  const json waiver{{"reason", "the test reads the slot now and then"}, {"second_person", "Sam"}};
  json answers{{"arm", true},
               {"1", {{"reason", "events_lost"}}},
               {"3", {{"accepted_by", "Kim"}}},
               {"4", {{"waive", {{"log.slot_active", waiver}, {"log.wal_status", waiver}, {"log.retained", waiver}}}}},
               {"5", {{"way", "sql_reload"}}},
               {"6", {{"method", "wait"}}},
               {"7", {{"accepted_by", "Kim"}}},
               {"8", {{"who_may_pause", "Kim"}}},
               {"11", {{"sweep", sinkTable}}},
               {"14", {{"accepted_by", "Kim"}}},
               {"15", {{"signed_by", "Kim"}}}};
  for (int step = 1; step <= 15; ++step) answers[std::to_string(step)]["resume"] = "continue";
  return answers;
}

std::string BackfillWorld::program() {
  return std::string(TIDEMARK_BINARY_DIR) + "/app/ctl/tidemarkctl";
}

std::vector<std::string> BackfillWorld::commandLine(const std::vector<std::string>& arguments) {
  std::ofstream(folder / "profile.json") << profile.dump(2);
  std::ofstream(folder / "answers.json") << answers.dump(2);
  std::vector<std::string> line{program()};
  line.insert(line.end(), arguments.begin(), arguments.end());
  const auto add = [&](const std::string& option, const std::filesystem::path& value) {
    if (!takes(arguments.front(), option)) return;
    line.push_back(option);
    line.push_back(value.string());
  };
  add("--profile", folder / "profile.json");
  add("--runs", folder / "runs");
  add("--answers", folder / "answers.json");
  return line;
}

CommandResult BackfillWorld::ctl(const std::vector<std::string>& arguments, const std::string& input) {
  return runCommand(commandLine(arguments), input);
}

std::unique_ptr<ChildProcess> BackfillWorld::startCtl(const std::vector<std::string>& arguments,
                                                      std::map<std::string, std::string> environment) {
  const std::vector<std::string> line = commandLine(arguments);
  ChildOptions options;
  options.environment = std::move(environment);
  return std::make_unique<ChildProcess>(line.front(), std::vector(line.begin() + 1, line.end()), options);
}

std::string BackfillWorld::runId() {
  const json runs = resultOf(ctl({"runs", "--json"}));
  return runs.at("runs").at(0).at("run").get<std::string>();
}

void BackfillWorld::expectOrdersEqual() const {
  const std::string live =
      "SELECT id / 10000, count(*), md5(string_agg(o::text, E'\\n' ORDER BY id)) FROM (SELECT id, customer, status, "
      "total, note, updated_at FROM orders";
  const std::string grouped = ") AS o GROUP BY 1 ORDER BY 1";
  EXPECT_EQ(source(live + grouped), sink(live + " WHERE NOT deleted" + grouped));
}

json resultOf(const CommandResult& command) {
  const json result = json::parse(command.output, nullptr, false);
  if (!result.is_discarded()) return result;
  ADD_FAILURE() << "standard output is no JSON document: " << command.output << "\n" << command.errors;
  return json::object();
}

json differences(std::uint64_t missing, std::uint64_t stale, std::uint64_t ghosts) {
  return {{"missing", missing}, {"stale", stale}, {"ghost", ghosts}, {"other", 0}, {"in_flight", 0}};
}

json differencesOf(const CommandResult& verify) {
  const json report = resultOf(verify);
  return {{"missing", report.value("missing", -1)},
          {"stale", report.value("stale", -1)},
          {"ghost", report.value("ghost", -1)},
          {"other", report.value("different_at_same_position", -1)},
          {"in_flight", report.value("in_flight", -1)}};
}

bool said(ChildProcess& command, const std::string& words) {
  const auto wasSaid = [&] { return command.error().find(words) != std::string::npos; };
  eventually("the command says: " + words, [&] { return wasSaid() || !command.running(); });
  return wasSaid();
}

CommandResult resultOf(ChildProcess& command) {
  const ChildEnd end = command.wait();
  return {end.signal == 0 ? end.code : 128 + end.signal, end.output, end.error};
}

void expectAllStepsPassed(const CommandResult& run) {
  EXPECT_EQ(run.status, 0) << run.errors;
  const json result = resultOf(run);
  ASSERT_EQ(result.value("steps", json::array()).size(), 15u) << run.errors;
  for (const json& step : result["steps"]) EXPECT_EQ(step["result"], "passed") << step.dump();
}

}  // namespace tidemark::test
