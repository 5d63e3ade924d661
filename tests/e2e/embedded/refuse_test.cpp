// Bad input: each is refused with the thing, the reason and the way out, by an exit code that is not 0.
#include <gtest/gtest.h>

#include "tests/e2e/embedded/sides.h"

namespace tidemark::test {
namespace {

using nlohmann::json;

void expectTold(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

/// A command that ended with an error: its code, and words that its message must hold. There is always a way out, and a
/// person reads the same on standard error.
void expectError(const ChildEnd& end, const std::string& code, const std::vector<std::string>& parts) {
  expectCode(end, 1);
  const json error = document(end).value("error", json::object());
  EXPECT_EQ(error.value("code", std::string()), code);
  const std::string message = error.value("message", std::string());
  expectTold(message, parts);
  EXPECT_FALSE(error.value("hint", std::string()).empty());
  expectTold(end.error, {message, "What to do: "});
}

/// A run that stopped at a shut gate: which, and words that its text must hold.
void expectShut(const ChildEnd& end, int step, const std::string& gate, const std::vector<std::string>& parts) {
  expectCode(end, 3);
  const json result = document(end);
  EXPECT_EQ(result.value("stopped_at", 0), step);
  const json obstacles = result.value("obstacles", json::array());
  ASSERT_FALSE(obstacles.empty());
  EXPECT_EQ(obstacles.at(0).at("gate"), gate);
  const std::string text = obstacles.at(0).at("text");
  expectTold(text, parts);
  expectTold(end.error, {text});
}

bool hasRuns(const Site& site) {
  return std::filesystem::exists(site.runs()) && !std::filesystem::is_empty(site.runs());
}

TEST(RefusesProfile, ThatIsNotThere) {
  const Site site(2000);
  auto arguments = site.runArguments();
  arguments.at(2) = (site.folder() / "nowhere.json").string();
  expectError(site.run(arguments), "profile.file", {"nowhere.json"});
  EXPECT_FALSE(hasRuns(site));
}

TEST(RefusesProfile, ThatIsNoJson) {
  const Site site(2000);
  auto arguments = site.runArguments();
  arguments.at(2) = site.file("broken.json", "{\"name\": \"x\",\n \"environment\": }\n");
  expectError(site.run(arguments), "profile.json", {"line 2"});
}

TEST(RefusesProfile, WithAFieldThatIsNotKnown) {
  Site site(2000);
  site.profile["sink"]["tabel"] = "orders";
  expectError(site.run(site.runArguments()), "profile.unknown_field", {"sink.tabel"});
}

TEST(RefusesProfile, WithAPasswordAndDoesNotRepeatIt) {
  Site site(2000);
  for (const std::string connection : {"host=db password=hush-hush", "postgresql://app:hush-hush@db/shop"}) {
    site.profile["source"] = {{"system", "postgresql"}, {"connection", connection}, {"table", "public.orders"}};
    const ChildEnd end = site.run(site.runArguments());
    expectError(end, "profile.password", {"source.connection"});
    EXPECT_EQ((end.output + end.error).find("hush-hush"), std::string::npos);
  }
  EXPECT_FALSE(hasRuns(site));
}

TEST(RefusesProfile, WithoutASourceWhereOneIsNeeded) {
  Site site(2000);
  site.profile.erase("source");
  expectError(site.run(site.runArguments()), "profile.no_source", {"names no source"});
  expectError(site.run(site.profiled("verify")), "profile.no_source", {"names no source"});
  EXPECT_FALSE(hasRuns(site));
}

TEST(RefusesSink, ThatHasNoSuchTable) {
  Site site(2000);
  site.profile["sink"]["table"] = "orderz";
  expectShut(site.run(site.runArguments()), 1, "scope.tables", {"no table orderz", "profile"});
  expectError(site.run(site.profiled("verify")), "sink.no_table", {"orderz"});
}

TEST(RefusesSink, ThatIsNoFile) {
  Site site(2000);
  site.profile["sink"]["file"] = (site.folder() / "nowhere.db").string();
  expectError(site.run(site.runArguments()), "sink.no_database", {"nowhere.db"});
  EXPECT_FALSE(std::filesystem::exists(site.folder() / "nowhere.db")) << "an empty sink was made";
}

TEST(RefusesSource, ThatHasNoSuchTable) {
  Site site(2000);
  site.profile["source"]["table"] = "orderz";
  expectShut(site.run(site.runArguments()), 1, "scope.tables", {"no table orderz"});
}

struct UnfitTable {
  std::string what;
  std::string columns;
  int step;
  std::string gate;
  std::vector<std::string> told;
};

TEST(RefusesSink, WhoseTableCannotHoldTheGuard) {
  const std::string payload = "customer TEXT, status TEXT, total NUMERIC TEXT, note TEXT, updated_at TIMESTAMPTZ TEXT";
  const std::string strict =
      "customer TEXT, status TEXT NOT NULL, total NUMERIC TEXT, note TEXT, updated_at TIMESTAMPTZ TEXT";
  const std::string key = "id BIGINT NOT NULL PRIMARY KEY, ";
  const std::string position = ", source_lsn BIGINT NOT NULL";
  const std::string marker = ", is_deleted BOOLEAN NOT NULL";
  const std::vector<UnfitTable> tables{
      {"no primary key", "id BIGINT NOT NULL, " + payload + position + marker, 2, "sink.primary_key", {"none", "id"}},
      {"nullable key",
       "id BIGINT PRIMARY KEY, " + payload + position + marker,
       2,
       "sink.key_not_null",
       {"id accepts NULL", "NOT NULL"}},
      {"position missing", key + payload + marker, 1, "scope.tables", {"no column source_lsn", "profile"}},
      {"position nullable",
       key + payload + ", source_lsn BIGINT" + marker,
       2,
       "sink.position",
       {"source_lsn accepts NULL", "BIGINT NOT NULL"}},
      {"position as text",
       key + payload + ", source_lsn TEXT NOT NULL" + marker,
       2,
       "sink.position",
       {"source_lsn is stored as TEXT", "BIGINT NOT NULL"}},
      {"payload refuses NULL", key + strict + position + marker, 2, "sink.payload_null", {"status", "filler"}},
  };
  Site site(2000);
  const auto file = site.folder() / "unfit.db";
  site.profile["sink"]["file"] = file.string();
  for (const UnfitTable& each : tables) {
    SCOPED_TRACE(each.what);
    std::filesystem::remove(file);
    SqliteView(file).execute("CREATE TABLE orders (" + each.columns + ")");
    expectShut(site.run(site.runArguments()), each.step, each.gate, each.told);
    EXPECT_EQ(SqliteView(file).number("SELECT count(*) FROM orders"), 0);
  }
}

TEST(RefusesSink, WithTriggerAndForeignKeyUnlessASecondPersonAgrees) {
  Site site(2000);
  {
    SqliteView sink(site.sink());
    sink.execute("CREATE TABLE audit (id BIGINT, at TEXT)");
    sink.execute(
        "CREATE TRIGGER orders_audit AFTER UPDATE ON orders BEGIN INSERT INTO audit VALUES (new.id, 'u'); END");
    sink.execute("CREATE TABLE invoices (id BIGINT PRIMARY KEY, order_id BIGINT REFERENCES orders (id))");
  }
  const ChildEnd refused = site.run(site.runArguments());
  expectShut(refused, 2, "sink.foreign_keys", {"referred to by invoices"});
  expectTold(document(refused).at("obstacles").dump(), {"sink.triggers", "orders_audit"});
  const std::string run = site.onlyRun();

  const auto waiver = [](const std::string& second) { return json{{"reason", "known"}, {"second_person", second}}; };
  site.answers["2"]["waive"] = {{"sink.triggers", waiver("")}, {"sink.foreign_keys", waiver("B. Second")}};
  const ChildEnd alone = site.run(site.resumeArguments(run));
  EXPECT_NE(alone.code, 0) << "a waiver without a second person was taken";

  site.answers["2"]["waive"]["sink.triggers"] = waiver("B. Second");
  const ChildEnd end = site.run(site.resumeArguments(run));
  expectCode(end, 0);
  EXPECT_EQ(differences(document(end).at("differences_after")), "missing 0, stale 0, ghost 0");
  const ChildEnd report = site.run({"report", run, "--runs", site.runs().string()});
  expectTold(report.output, {"sink.triggers", "B. Second", "known"});
}

TEST(RefusesFilter, ThatDoesNotParse) {
  Site site(2000);
  site.answers["1"]["filter"] = "stattus = 'new' AND (";
  expectShut(site.run(site.runArguments()), 1, "scope.filter", {"filter is no condition on orders", "WHERE"});
  expectError(site.run(site.profiled("verify", {"--filter", "nonsense ="})), "filter.does_not_parse", {"filter"});
}

TEST(RefusesAnswers, ThatAreWrong) {
  Site site(2000);
  const json good = site.answers;
  const auto with = [&](const std::string& step, const std::string& question, const json& value) {
    site.answers = good;
    site.answers[step][question] = value;
    std::filesystem::remove_all(site.runs());
    return site.run(site.runArguments());
  };
  expectError(with("1", "reason", "because"), "answer.invalid", {"because"});
  expectError(with("1", "reason", "content_fix"), "answer.invalid", {"strict guard"});
  expectError(with("1", "from", "seven"), "answer.invalid", {"seven", "id"});
  expectError(with("16", "reason", "events_lost"), "answers.step", {"16"});
  EXPECT_FALSE(hasRuns(site)) << "an answers file that cannot be read must leave nothing behind";
  expectError(with("2", "waive", "all"), "answers.waiver", {"waive"});
  expectError(with("2", "waive", {{"sink.triggers", "fine"}}), "answers.waiver", {"sink.triggers"});
}

TEST(RefusesAnswers, ThatAreNoJsonObject) {
  const Site site(2000);
  auto arguments = site.runArguments();
  arguments.at(4) = site.file("broken-answers.json", "{\"arm\": tru");
  expectError(site.run(arguments), "answers.json", {"broken-answers.json"});
  arguments.at(4) = site.file("list.json", "[]");
  expectError(site.run(arguments), "answers.json", {"list.json"});
  arguments.at(4) = (site.folder() / "nowhere.json").string();
  expectError(site.run(arguments), "answers.file", {"nowhere.json"});
}

TEST(RefusesUsage, WithItsOwnExitCode) {
  const Site site(2000);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"run"},
                                                    {"walk"},
                                                    {"verify", "--profil", "x"},
                                                    {"sweep", "--profile", "x"},
                                                    {"demo", "--rows", "5"},
                                                    {"apply", "--profile", "x"}}) {
    const ChildEnd end = site.run(arguments);
    expectCode(end, 2);
    EXPECT_TRUE(end.output.empty()) << end.output;
    EXPECT_FALSE(end.error.empty());
  }
  const ChildEnd unknown = site.run(
      {"resume", "no-such-run", "--answers", site.file("a.json", "{}"), "--runs", site.runs().string(), "--json"});
  expectError(unknown, "journal.not_found", {"no-such-run"});
}

TEST(RefusesJournal, ThatWasTamperedWith) {
  Site site(2000);
  site.answers["2"] = json::object();
  site.answers["arm"] = false;
  expectCode(site.run(site.runArguments()), 3);
  const std::string run = site.onlyRun();
  {
    SqliteView journal(site.journal(run));
    EXPECT_ANY_THROW(journal.execute("UPDATE entry SET time = 'x' WHERE sequence = 5"));
    journal.execute("DROP TRIGGER entry_keeps_its_content");
    journal.execute("UPDATE entry SET payload = replace(payload, 'events_lost', 'wrong_rows') WHERE sequence = " +
                    journal.value("SELECT min(sequence) FROM entry WHERE payload LIKE '%events_lost%'"));
  }
  expectError(site.run(site.resumeArguments(run)), "journal.chain_broken", {"entry", "journal.sqlite"});
  expectError(site.run({"report", run, "--runs", site.runs().string(), "--json"}), "journal.chain_broken", {"entry"});
  const ChildEnd runs = site.run({"runs", "--runs", site.runs().string(), "--json"});
  expectCode(runs, 0);
  expectTold(document(runs).at("runs").at(0).at("problem"), {"was changed"});
}

TEST(RefusesJournal, ThatWasCutShort) {
  Site site(2000);
  site.answers["arm"] = false;
  expectCode(site.run(site.runArguments()), 3);
  const std::string run = site.onlyRun();
  std::filesystem::resize_file(site.journal(run), std::filesystem::file_size(site.journal(run)) - 4096);
  expectError(site.run(site.resumeArguments(run)), "journal.torn", {"journal.sqlite"});
}

}  // namespace
}  // namespace tidemark::test
