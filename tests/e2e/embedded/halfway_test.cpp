// What happens to a run while it is on its way: each stops it with a clear reason, and nothing is lost or swept
// wrongly.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/e2e/embedded/sides.h"

namespace tidemark::test {
namespace {

using nlohmann::json;

/// A site whose load takes long enough to be met in its middle, and a run that is there.
struct SlowLoad {
  Site site{2000};
  std::unique_ptr<ChildProcess> child;
  std::string run;

  SlowLoad() {
    site.profile["limits"] = {{"batch_rows", 200}, {"rows_per_second", 2000}};
    ChildOptions options;
    options.lockstep = true;
    child = site.start(site.runArguments(), options);
    if (!child->waitForErrorLine("load: ")) throw std::runtime_error(child->wait().error);
    run = site.onlyRun();
  }
};

std::vector<std::string> linesOf(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

void writeLines(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  std::ofstream output(file, std::ios::binary | std::ios::trunc);
  for (const std::string& line : lines) output << line << '\n';
}

TEST(KeyList, ShortByOneStopsTheSweep) {
  Site site(2000);
  ChildOptions options;
  options.lockstep = true;
  const auto child = site.start(site.runArguments(), options);
  ASSERT_TRUE(child->waitForErrorLine("step 11 "));
  child->kill();
  const std::string run = site.onlyRun();
  const auto file = site.runs() / run / "keys.1.txt";
  const auto whole = linesOf(file);
  ASSERT_GT(whole.size(), 1000U);
  auto shorter = whole;
  shorter.erase(shorter.begin() + 500);
  writeLines(file, shorter);

  const ChildEnd end = site.run(site.resumeArguments(run));
  expectCode(end, 1);
  const json result = document(end);
  EXPECT_EQ(result.at("stopped_at"), 11);
  const std::string message = result.at("error").at("message");
  EXPECT_NE(message.find(std::to_string(shorter.size())), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(whole.size())), std::string::npos) << message;
  EXPECT_FALSE(result.at("error").at("hint").get<std::string>().empty());
  for (const JournalLine& line : site.journalLines(run)) EXPECT_NE(line.id(), "swept.1");
  EXPECT_EQ(liveInSink(site, seededKeys(site).ghosts), 80);

  writeLines(file, whole);
  expectCode(site.run(site.resumeArguments(run)), 0);
  expectSidesEqual(site);
}

TEST(Driver, SecondOneIsRefusedAndTheHolderNamed) {
  SlowLoad slow;
  const ChildEnd second = slow.site.run(slow.site.resumeArguments(slow.run));
  expectCode(second, 1);
  const json error = document(second).at("error");
  EXPECT_EQ(error.at("code"), "journal.locked");
  EXPECT_NE(error.at("message").get<std::string>().find(std::to_string(slow.child->pid())), std::string::npos) << error;
  EXPECT_FALSE(error.at("hint").get<std::string>().empty());
  const json runs = document(slow.site.run({"runs", "--runs", slow.site.runs().string(), "--json"})).at("runs");
  EXPECT_NE(runs.at(0).at("driven_by").get<std::string>().find(std::to_string(slow.child->pid())), std::string::npos);
  // The first one is not disturbed.
  expectCode(slow.child->wait(), 0);
  expectSidesEqual(slow.site);
}

TEST(Driver, AnotherRunOnTheTableIsRefusedUntilTheFirstIsAbandoned) {
  SlowLoad slow;
  slow.child->kill();
  Site& site = slow.site;
  auto second = site.runArguments();
  second.at(6) = (site.folder() / "other-runs").string();
  const ChildEnd refused = site.run(second);
  expectCode(refused, 3);
  EXPECT_EQ(document(refused).at("obstacles").at(0).at("gate"), "sink.lock");
  EXPECT_NE(document(refused).at("obstacles").dump().find(slow.run), std::string::npos);

  const ChildEnd abandoned =
      site.run({"resume", slow.run, "--runs", site.runs().string(), "--abandon", "the machine died", "--json"});
  expectCode(abandoned, 0);
  EXPECT_EQ(document(abandoned).at("phase"), "abandoned");
  std::filesystem::remove_all(site.folder() / "other-runs");
  expectCode(site.run(second), 0);
  expectSidesEqual(site);
}

TEST(Sink, DroppedHalfWayStopsTheRunWithTheTablesName) {
  SlowLoad slow;
  SqliteView(slow.site.sink()).execute("DROP TABLE orders");
  const ChildEnd end = slow.child->wait();
  expectCode(end, 1);
  const json result = document(end);
  EXPECT_EQ(result.at("end"), "failed");
  EXPECT_EQ(result.at("stopped_at"), 9);
  EXPECT_NE(result.at("error").at("message").get<std::string>().find("orders"), std::string::npos) << result;
  EXPECT_FALSE(result.at("error").at("hint").get<std::string>().empty()) << result;
  const ChildEnd again = slow.site.run(slow.site.resumeArguments(slow.run));
  EXPECT_NE(again.code, 0);
  EXPECT_NE(again.error.find("no table orders"), std::string::npos) << again.error;
}

TEST(Stop, ByTerminateKeepsWhatWasCommittedAndResumeGoesOn) {
  SlowLoad slow;
  slow.child->signal(SIGTERM);
  const ChildEnd end = slow.child->wait();
  expectCode(end, 1);
  EXPECT_EQ(document(end).at("error").at("code"), "cancelled");
  const ChildEnd again = slow.site.run(slow.site.resumeArguments(slow.run));
  expectCode(again, 0);
  EXPECT_EQ(differences(document(again).at("differences_after")), "missing 0, stale 0, ghost 0");
  expectSidesEqual(slow.site);
}

TEST(Stop, BetweenTwoEffectsIsNotForgotten) {
  Site site(2000);
  ChildOptions options;
  options.lockstep = true;
  const auto child = site.start(site.runArguments(), options);
  ASSERT_TRUE(child->waitForErrorLine("step 4 "));
  child->signal(SIGTERM);
  const ChildEnd end = child->wait();
  expectCode(end, 1);
  const json result = document(end);
  EXPECT_EQ(result.at("error").at("code"), "cancelled");
  EXPECT_LT(result.at("stopped_at"), 15);
}

TEST(Disk, FullUnderTheJournalWritesNothingHalfAndResumeGoesOn) {
  Site site(2000);
  ChildOptions little;
  little.largestFile = 48 * 1024;
  const ChildEnd end = site.run(site.runArguments(), little);
  expectCode(end, 1);
  const json error = document(end).at("error");
  EXPECT_EQ(error.at("code"), "journal.disk_full");
  EXPECT_NE(error.at("message").get<std::string>().find("journal.sqlite"), std::string::npos);
  EXPECT_NE(error.at("hint").get<std::string>().find("go on"), std::string::npos);
  const std::string run = site.onlyRun();
  EXPECT_LE(std::filesystem::file_size(site.journal(run)), *little.largestFile);
  const auto lines = site.journalLines(run);
  EXPECT_GT(lines.size(), 1U);
  const json runs = document(site.run({"runs", "--runs", site.runs().string(), "--json"})).at("runs");
  EXPECT_EQ(runs.at(0).at("problem"), "") << "the journal is not whole";

  const ChildEnd again = site.run(site.resumeArguments(run));
  expectCode(again, 0);
  EXPECT_EQ(differences(document(again).at("differences_after")), "missing 0, stale 0, ghost 0");
  expectSidesEqual(site);
}

}  // namespace
}  // namespace tidemark::test
