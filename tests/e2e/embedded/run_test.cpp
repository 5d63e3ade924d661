#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/e2e/embedded/sides.h"

namespace tidemark::test {
namespace {

using nlohmann::json;

std::vector<std::int64_t> sorted(std::vector<std::int64_t> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Keys of this kind that a verification listed.
std::vector<std::int64_t> listedKeys(const json& verification, const std::string& kind) {
  std::vector<std::int64_t> keys;
  for (const json& each : verification.at("differences")) {
    if (each.at("kind") == kind) keys.push_back(std::stoll(each.at("key").at(0).get<std::string>()));
  }
  return sorted(std::move(keys));
}

TEST(Run, MendsWhatWasSeededAndEveryCommandTellsIt) {
  Site site;
  const auto seeded = seededKeys(site);
  const ChildEnd end = site.run(site.runArguments());
  expectCode(end, 0);
  const json result = document(end);
  EXPECT_EQ(result.at("end"), "finished");
  EXPECT_EQ(result.at("phase"), "finished");
  EXPECT_EQ(differences(result.at("differences_before")), "missing 120, stale 150, ghost 80");
  EXPECT_EQ(differences(result.at("differences_after")), "missing 0, stale 0, ghost 0");
  expectSidesEqual(site);
  EXPECT_EQ(liveInSink(site, seeded.ghosts), 0);

  const json runs = document(site.run({"runs", "--runs", site.runs().string(), "--json"})).at("runs");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].at("run"), result.at("run"));
  EXPECT_EQ(runs[0].at("phase"), "finished");
  EXPECT_EQ(runs[0].at("driven_by"), "");

  const ChildEnd verified = site.run(site.profiled("verify"));
  expectCode(verified, 0);
  const json verification = document(verified);
  EXPECT_EQ(verification.at("missing").get<int>() + verification.at("stale").get<int>(), 0);
  const ChildEnd preview = site.run(site.profiled("sweep", {"--preview"}));
  expectCode(preview, 0);
  EXPECT_EQ(document(preview).at("ghosts"), 0);

  const std::string run = result.at("run");
  const std::string page = (site.folder() / "report.html").string();
  const ChildEnd reported = site.run({"report", run, "--runs", site.runs().string(), "--html", page, "--json"});
  expectCode(reported, 0);
  EXPECT_NE(document(reported).dump().find(run), std::string::npos);
  EXPECT_NE(document(reported).dump().find("they were seeded"), std::string::npos) << "the waiver's reason is missing";
  std::ifstream file(page);
  const std::string html{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(html.find(run), std::string::npos);
  EXPECT_NE(html.find("B. Second"), std::string::npos);

  const ChildEnd again = site.run(site.resumeArguments(run));
  expectCode(again, 0);
  EXPECT_EQ(document(again).at("end"), "finished");
}

TEST(Run, SecondFullRunChangesNothing) {
  Site site;
  expectCode(site.run(site.runArguments()), 0);
  std::filesystem::remove_all(site.runs());
  // Positions may rise to the second boundary; content and markers stay.
  const auto before = untouchedContent(site);
  const ChildEnd second = site.run(site.runArguments());
  expectCode(second, 0);
  EXPECT_EQ(differences(document(second).at("differences_before")), "missing 0, stale 0, ghost 0");
  EXPECT_EQ(differences(document(second).at("differences_after")), "missing 0, stale 0, ghost 0");
  EXPECT_EQ(untouchedContent(site), before);
  for (const JournalLine& line : site.journalLines(site.onlyRun())) {
    EXPECT_FALSE(line.kind == "effect_announced" && line.id() == "sweep") << "there was nothing to sweep";
  }
  expectSidesEqual(site);
}

TEST(Undo, MakesTheGhostsLiveAgain) {
  Site site;
  const auto seeded = seededKeys(site);
  const auto before = sinkRows(site, seeded.ghosts);
  expectCode(site.run(site.runArguments()), 0);
  ASSERT_EQ(liveInSink(site, seeded.ghosts), 0);
  const std::string run = site.onlyRun();
  const std::vector<std::string> undo{"undo", run, "--runs", site.runs().string(), "--json"};

  const ChildEnd unconfirmed = site.run(undo);
  expectCode(unconfirmed, 1);
  EXPECT_EQ(document(unconfirmed).at("error").at("code"), "undo.confirmation");
  EXPECT_EQ(liveInSink(site, seeded.ghosts), 0);

  auto confirmed = undo;
  confirmed.insert(confirmed.end(), {"--confirm", "orders"});
  const ChildEnd end = site.run(confirmed);
  expectCode(end, 0);
  EXPECT_EQ(document(end).at("restored"), seeded.ghosts.size());
  EXPECT_EQ(liveInSink(site, seeded.ghosts), static_cast<std::int64_t>(seeded.ghosts.size()));
  const ChildEnd verified = site.run(site.profiled("verify"));
  expectCode(verified, 4);
  EXPECT_EQ(listedKeys(document(verified), "ghost"), sorted(seeded.ghosts));
}

TEST(Verify, NamesEveryKeyThatDiffersByItsKind) {
  Site site;
  const auto seeded = seededKeys(site);
  const ChildEnd end = site.run(site.profiled("verify"));
  expectCode(end, 4);
  const json result = document(end);
  EXPECT_EQ(listedKeys(result, "missing"), sorted(seeded.missing));
  EXPECT_EQ(listedKeys(result, "stale"), sorted(seeded.stale));
  EXPECT_EQ(listedKeys(result, "ghost"), sorted(seeded.ghosts));
}

TEST(Verify, KeepsToItsRange) {
  Site site;
  const auto seeded = seededKeys(site);
  const auto ghosts = sorted(seeded.ghosts);
  const std::int64_t last = ghosts.at(9);
  const ChildEnd end = site.run(site.profiled("verify", {"--range-to", std::to_string(last)}));
  expectCode(end, 4);
  EXPECT_EQ(listedKeys(document(end), "ghost"), std::vector<std::int64_t>(ghosts.begin(), ghosts.begin() + 10));
}

TEST(SweepPreview, FindsExactlyTheGhostsAndWritesNothing) {
  Site site;
  const auto before = untouchedPart(site);
  const ChildEnd end = site.run(site.profiled("sweep", {"--preview"}));
  expectCode(end, 4);
  const json result = document(end);
  const auto ghosts = seededKeys(site).ghosts;
  EXPECT_EQ(result.at("ghosts"), ghosts.size());
  ASSERT_FALSE(result.at("sample").empty());
  for (const json& row : result.at("sample")) {
    const std::int64_t key = std::stoll(row.at("key").at(0).get<std::string>());
    EXPECT_NE(std::find(ghosts.begin(), ghosts.end(), key), ghosts.end()) << key;
  }
  EXPECT_EQ(untouchedPart(site), before);
}

TEST(Check, PassesOnASoundPairAndWritesNothing) {
  Site site;
  const auto before = untouchedPart(site);
  const ChildEnd end = site.run(site.profiled("check"));
  expectCode(end, 0);
  const json result = document(end);
  EXPECT_EQ(result.at("passed"), true);
  EXPECT_GT(result.at("findings").size(), 15U);
  EXPECT_EQ(untouchedPart(site), before);
}

TEST(DryRun, WritesNothingAndSaysWhatIsLeft) {
  Site site;
  const auto before = untouchedPart(site);
  auto arguments = site.runArguments();
  arguments.push_back("--dry-run");
  const ChildEnd end = site.run(arguments);
  expectCode(end, 3);
  EXPECT_EQ(document(end).at("end"), "not_armed");
  EXPECT_FALSE(document(end).at("obstacles").empty());
  EXPECT_EQ(untouchedPart(site), before);
  for (const JournalLine& line : site.journalLines(site.onlyRun())) {
    EXPECT_FALSE(line.kind == "effect_announced" && line.payload.value("writes", false)) << line.payload;
  }
}

TEST(Answers, MayBeKeyedByStepId) {
  Site site(2000);
  const std::vector<std::string> ids{"scope",    "sink",   "rehearse", "log",         "choose",
                                     "boundary", "sample", "pace",     "run",         "drained",
                                     "sweep",    "verify", "put_back", "purge_bound", "lineage"};
  json byId{{"arm", true}};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    if (site.answers.contains(number)) byId[ids[i]] = site.answers[number];
  }
  site.answers = byId;
  expectCode(site.run(site.runArguments()), 0);
}

TEST(Answers, StopTheRunWhereOneIsMissingAndResumeGoesOnThere) {
  Site site;
  const json all = site.answers;
  site.answers["1"].erase("reason");
  const ChildEnd first = site.run(site.runArguments());
  expectCode(first, 3);
  EXPECT_EQ(document(first).at("end"), "answer_missing");
  EXPECT_EQ(document(first).at("stopped_at"), 1);
  EXPECT_EQ(document(first).at("obstacles").at(0).at("question"), "reason");
  const std::string run = site.onlyRun();

  site.answers = all;
  site.answers["arm"] = false;
  const ChildEnd unarmed = site.run(site.resumeArguments(run));
  expectCode(unarmed, 3);
  EXPECT_EQ(document(unarmed).at("end"), "not_armed");

  site.answers = all;
  site.answers["11"].erase("waive");
  const ChildEnd shut = site.run(site.resumeArguments(run));
  expectCode(shut, 3);
  EXPECT_EQ(document(shut).at("end"), "gate_shut");
  EXPECT_EQ(document(shut).at("stopped_at"), 11);
  EXPECT_EQ(document(shut).at("obstacles").at(0).at("gate"), "sweep.cap");
  EXPECT_EQ(liveInSink(site, seededKeys(site).ghosts), 80);

  site.answers = all;
  site.answers["11"].erase("sweep");
  const ChildEnd untyped = site.run(site.resumeArguments(run));
  expectCode(untyped, 3);
  EXPECT_EQ(document(untyped).at("end"), "action_refused");
  EXPECT_EQ(document(untyped).at("obstacles").at(0).at("action"), "sweep");
  EXPECT_EQ(liveInSink(site, seededKeys(site).ghosts), 80);

  site.answers = all;
  expectCode(site.run(site.resumeArguments(run)), 0);
  expectSidesEqual(site);
}

}  // namespace
}  // namespace tidemark::test
