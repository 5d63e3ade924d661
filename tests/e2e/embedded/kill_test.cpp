// A run is killed where it hurts, and resumed. A kill counts only where the journal shows that it fell in the middle.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "tests/e2e/embedded/sides.h"

namespace tidemark::test {
namespace {

using nlohmann::json;

int countOf(const std::vector<JournalLine>& lines, const std::string& kind, int step, const std::string& id) {
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), [&](const JournalLine& line) {
    return line.kind == kind && line.step() == step && line.id() == id;
  }));
}

int currentStep(const Site& site, const std::string& run) {
  int finished = 0;
  for (const JournalLine& line : site.journalLines(run)) {
    if (line.kind == "step_finished" || line.kind == "step_skipped") finished = std::max(finished, line.step());
  }
  return finished + 1;
}

ChildOptions followed() {
  ChildOptions options;
  options.lockstep = true;
  return options;
}

/// Without the answer "resume" nothing is sent again, and what was interrupted is named.
void expectWaitsForTheAnswer(const Site& site, const std::string& run, int step, const std::string& action) {
  const auto before = site.journalLines(run);
  const ChildEnd end = site.run(site.resumeArguments(run));
  expectCode(end, 3);
  const json result = document(end);
  EXPECT_EQ(result.at("end"), "answer_missing");
  EXPECT_NE(result.at("obstacles").dump().find("\\\"" + action + "\\\""), std::string::npos) << result.at("obstacles");
  EXPECT_EQ(result.at("obstacles").at(0).at("question"), "resume");
  const auto after = site.journalLines(run);
  EXPECT_EQ(countOf(after, "effect_announced", step, action), countOf(before, "effect_announced", step, action));
}

void expectMended(const Site& site, const ChildEnd& end) {
  expectCode(end, 0);
  EXPECT_EQ(differences(document(end).at("differences_after")), "missing 0, stale 0, ghost 0");
  expectSidesEqual(site);
}

TEST(Kill, AtEveryStepAndResumeEndsTheSame) {
  Site site(2000);
  answerResume(site.answers);
  std::string run;
  for (int step = 1; step <= 15; ++step) {
    const auto child = site.start(run.empty() ? site.runArguments() : site.resumeArguments(run), followed());
    const std::string heading = "step " + std::to_string(step) + " ";
    bool reached = false;
    while (!reached) {
      const auto line = child->nextErrorLine();
      ASSERT_TRUE(line) << "ended before step " << step << ": " << child->wait().error;
      reached = line->starts_with(heading) && line->find(": ") == std::string::npos;
    }
    EXPECT_EQ(child->kill().signal, 9);
    if (run.empty()) run = site.onlyRun();
    ASSERT_EQ(currentStep(site, run), step);
  }
  const ChildEnd end = site.run(site.resumeArguments(run));
  EXPECT_EQ(differences(document(end).at("differences_before")), "missing 120, stale 150, ghost 80");
  expectMended(site, end);
}

TEST(Kill, InTheMiddleOfCertification) {
  Site site(2000);
  const auto child = site.start(site.runArguments(), followed());
  ASSERT_TRUE(child->waitForErrorLine("certify: "));
  EXPECT_EQ(child->kill().signal, 9);
  const std::string run = site.onlyRun();
  ASSERT_TRUE(site.inTheMiddleOf(run, 2, "certify"));
  const auto scratch = [&] {
    return SqliteView(site.sink()).rows("SELECT name FROM sqlite_master WHERE name LIKE 'tidemark_scratch%'");
  };
  ASSERT_EQ(scratch().size(), 1U);
  expectWaitsForTheAnswer(site, run, 2, "certify");
  EXPECT_TRUE(scratch().empty()) << "measuring the interrupted effect drops what it left";
  answerResume(site.answers);
  expectMended(site, site.run(site.resumeArguments(run)));
  EXPECT_TRUE(scratch().empty());
}

/// How many segments the journal knows, and how many keys the last one had read when it was written last.
struct Loaded {
  std::size_t segments = 0;
  bool lastClosed = false;
  std::uint64_t lastKeys = 0;
};

Loaded loadedSoFar(const Site& site, const std::string& run) {
  std::map<std::string, json> segments;
  for (const JournalLine& line : site.journalLines(run)) {
    if (line.kind == "evidence_recorded" && line.id().starts_with("segment."))
      segments[line.id()] = line.payload["json"]["segment"];
  }
  if (segments.empty()) return {};
  const json& last = segments.rbegin()->second;
  return {segments.size(), last.at("closed").get<bool>(), last.at("keys").at("count").get<std::uint64_t>()};
}

TEST(Kill, InTheMiddleOfTheLoadTwiceOver) {
  Site site;
  site.profile["limits"] = {{"batch_rows", 200}, {"rows_per_second", 1000}};
  auto child = site.start(site.runArguments(), followed());
  ASSERT_TRUE(child->waitForErrorLine("load: "));
  EXPECT_EQ(child->kill().signal, 9);
  const std::string run = site.onlyRun();
  ASSERT_TRUE(site.inTheMiddleOf(run, 9, "load"));
  const Loaded first = loadedSoFar(site, run);
  ASSERT_EQ(first.segments, 1U);
  ASSERT_FALSE(first.lastClosed);
  ASSERT_GT(first.lastKeys, 0U);
  const json listed = document(site.run({"runs", "--runs", site.runs().string(), "--json"})).at("runs").at(0);
  EXPECT_EQ(listed.at("interrupted"), true);
  EXPECT_EQ(listed.at("driven_by"), "") << "the process is gone";
  expectWaitsForTheAnswer(site, run, 9, "load");

  answerResume(site.answers);
  child = site.start(site.resumeArguments(run), followed());
  ASSERT_TRUE(child->waitForErrorLine("load: "));
  ASSERT_TRUE(child->waitForErrorLine("load: "));
  EXPECT_EQ(child->kill().signal, 9);
  ASSERT_TRUE(site.inTheMiddleOf(run, 9, "load"));
  const Loaded second = loadedSoFar(site, run);
  ASSERT_EQ(second.segments, 2U);
  ASSERT_FALSE(second.lastClosed);

  expectMended(site, site.run(site.resumeArguments(run)));
  EXPECT_EQ(loadedSoFar(site, run).segments, 3U);
  EXPECT_EQ(liveInSink(site, seededKeys(site).ghosts), 0);
}

/// A run that has made its preview and has not swept.
std::string previewedRun(Site& site) {
  const json sweep = site.answers["11"]["sweep"];
  site.answers["11"].erase("sweep");
  const ChildEnd end = site.run(site.runArguments());
  expectCode(end, 3);
  EXPECT_EQ(document(end).at("end"), "action_refused");
  site.answers["11"]["sweep"] = sweep;
  return site.onlyRun();
}

TEST(Kill, BetweenAnnouncingTheSweepAndMarkingAnything) {
  Site site;
  const auto ghosts = seededKeys(site).ghosts;
  const std::string run = previewedRun(site);
  {
    // The announced sweep cannot write: the kill finds it before its first row.
    const WriteLock held(site.sink());
    const auto child = site.start(site.resumeArguments(run));
    ASSERT_TRUE(poll(*child, [&] { return site.inTheMiddleOf(run, 11, "sweep"); }));
    EXPECT_EQ(child->kill().signal, 9);
  }
  ASSERT_TRUE(site.inTheMiddleOf(run, 11, "sweep"));
  EXPECT_EQ(liveInSink(site, ghosts), 80);
  expectWaitsForTheAnswer(site, run, 11, "sweep");
  EXPECT_EQ(liveInSink(site, ghosts), 80);
  answerResume(site.answers);
  expectMended(site, site.run(site.resumeArguments(run)));
  EXPECT_EQ(liveInSink(site, ghosts), 0);
}

TEST(Kill, BetweenMarkingTheGhostsAndJournallingIt) {
  Site site;
  const auto ghosts = seededKeys(site).ghosts;
  const std::string run = previewedRun(site);
  {
    auto sinkHeld = std::make_unique<WriteLock>(site.sink());
    const auto child = site.start(site.resumeArguments(run));
    ASSERT_TRUE(poll(*child, [&] { return site.inTheMiddleOf(run, 11, "sweep"); }));
    // From here on the journal takes nothing more, so the sweep can commit and nobody can write that down.
    const WriteLock journalHeld(site.journal(run));
    sinkHeld.reset();
    ASSERT_TRUE(poll(*child, [&] { return liveInSink(site, ghosts) == 0; }));
    EXPECT_EQ(child->kill().signal, 9);
  }
  ASSERT_TRUE(site.inTheMiddleOf(run, 11, "sweep"));
  ASSERT_EQ(countOf(site.journalLines(run), "evidence_recorded", 11, "swept.1"), 0);
  expectWaitsForTheAnswer(site, run, 11, "sweep");
  answerResume(site.answers);
  const ChildEnd end = site.run(site.resumeArguments(run));
  expectMended(site, end);
  // It was found that the commit took place; nothing was swept a second time, and the undo still has every image.
  EXPECT_EQ(countOf(site.journalLines(run), "effect_announced", 11, "sweep"), 1);
  const ChildEnd undone = site.run({"undo", run, "--runs", site.runs().string(), "--confirm", "orders", "--json"});
  expectCode(undone, 0);
  EXPECT_EQ(document(undone).at("restored"), 80);
}

TEST(Kill, InTheMiddleOfAnUndo) {
  Site site;
  const auto ghosts = seededKeys(site).ghosts;
  expectCode(site.run(site.runArguments()), 0);
  const std::string run = site.onlyRun();
  const std::vector<std::string> undo{"undo", run, "--runs", site.runs().string(), "--confirm", "orders", "--json"};
  {
    const WriteLock held(site.sink());
    const auto child = site.start(undo);
    ASSERT_TRUE(poll(*child, [&] { return site.inTheMiddleOf(run, 11, "undo"); }));
    EXPECT_EQ(child->kill().signal, 9);
  }
  EXPECT_EQ(liveInSink(site, ghosts), 0);
  const ChildEnd again = site.run(undo);
  expectCode(again, 0);
  EXPECT_EQ(document(again).at("restored"), 80);
  EXPECT_EQ(liveInSink(site, ghosts), 80);
}

}  // namespace
}  // namespace tidemark::test
