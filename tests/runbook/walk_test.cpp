#include <set>

#include "runbook/report.h"
#include "tests/runbook/walk_fixture.h"

namespace tidemark::test {

namespace {

TEST_F(Walk, FifteenStepsMendTheSinkWhileChangesKeepStreaming) {
  begin();
  const WalkResult result = walk(*driver, answers);
  ASSERT_EQ(result.end, WalkEnd::Finished) << reasons(result);
  const RunState run = driver->state();
  EXPECT_EQ(run.phase, RunPhase::Finished);
  EXPECT_EQ(run.signedOffBy, "On Call");
  const json before = differences(run, 5, "differences_before");
  EXPECT_EQ(before, json({{"missing", 40}, {"stale", 50}, {"ghost", 30}}));
  EXPECT_EQ(differences(run, 12, "differences_after"), json({{"missing", 0}, {"stale", 0}, {"ghost", 0}}));
  for (const StepState& step : run.steps) {
    EXPECT_EQ(step.status, StepStatus::Done) << step.id;
    EXPECT_FALSE(step.gates.empty()) << step.id;
  }
  for (const Straddle& each : world->straddles()) EXPECT_TRUE(each.committed);
}

TEST_F(Walk, EveryEntryAfterThePlanCarriesItsDigest) {
  begin();
  ASSERT_EQ(walk(*driver, answers).end, WalkEnd::Finished);
  bool frozen = false;
  for (const RunEvent& event : driver->journal().events()) {
    if (frozen) {
      EXPECT_EQ(event.planDigest, driver->state().planDigest) << eventName(event.kind);
    }
    frozen = frozen || event.kind == EventKind::PlanFrozen;
  }
  EXPECT_TRUE(frozen);
}

TEST_F(Walk, ReportIsTheSameForTheSameJournalAndNamesItsHead) {
  begin();
  ASSERT_EQ(walk(*driver, answers).end, WalkEnd::Finished);
  const ReportModel first = buildReport(driver->journal());
  const std::string text = reportJson(first);
  const auto reopened = Journal::open(driver->journal().file(), Journal::Access::ReadOnly);
  EXPECT_EQ(reportJson(buildReport(*reopened)), text);
  EXPECT_EQ(json::parse(text).at("journal").at("head"), driver->journal().head());
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find('\r'), std::string::npos);
  const std::string html = reportHtml(first);
  EXPECT_NE(html.find(driver->journal().head()), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("http"), std::string::npos);
}

TEST_F(Walk, UndoPutsTheSweptRowsBack) {
  begin();
  ASSERT_EQ(walk(*driver, answers).end, WalkEnd::Finished);
  driver->arm();
  const UndoResult undone = driver->undoSweep();
  EXPECT_EQ(undone.restored, 30u);
  EXPECT_NE(driver->state().step(11).fact("undone"), "");
  EXPECT_EQ(driver->state().phase, RunPhase::Finished);
}

TEST_F(Walk, RangeMendsWhatLiesInItAndLeavesTheRestAlone) {
  begin();
  answers.answers["from"] = "500";
  answers.answers["to"] = "1500";
  const WalkResult result = walk(*driver, answers);
  ASSERT_EQ(result.end, WalkEnd::Finished) << reasons(result);
  EXPECT_EQ(differences(driver->state(), 12, "differences_after"), json({{"missing", 0}, {"stale", 0}, {"ghost", 0}}));
  const json before = differences(driver->state(), 5, "differences_before");
  EXPECT_GT(before.at("stale"), 0);
  EXPECT_LT(before.at("stale"), 50);
  driver = RunDriver::create(*environment, demoProfile(*world), folder / "runs");
  answers.answers.erase("from");
  answers.answers.erase("to");
  ASSERT_EQ(walk(*driver, answers).end, WalkEnd::Finished);
  EXPECT_EQ(differences(driver->state(), 5, "differences_before").at("stale"), 50 - before.at("stale").get<int>());
}

TEST_F(Walk, SecondRunOverTheSameScopeFindsAndChangesNothing) {
  begin();
  ASSERT_EQ(walk(*driver, answers).end, WalkEnd::Finished);
  driver = RunDriver::create(*environment, demoProfile(*world), folder / "runs");
  ASSERT_EQ(walk(*driver, answers).end, WalkEnd::Finished);
  const json none{{"missing", 0}, {"stale", 0}, {"ghost", 0}};
  EXPECT_EQ(differences(driver->state(), 5, "differences_before"), none);
  EXPECT_EQ(differences(driver->state(), 12, "differences_after"), none);
  EXPECT_EQ(listRuns(folder / "runs").size(), 2u);
}

TEST_F(Walk, FilteredRunMendsAndNeverMarksRowsThatOnlyLeftTheFilter) {
  begin();
  answers.answers["filter"] = "status <> 'new'";
  const WalkResult result = walk(*driver, answers);
  ASSERT_EQ(result.end, WalkEnd::Finished) << reasons(result);
  EXPECT_EQ(differences(driver->state(), 12, "differences_after"), json({{"missing", 0}, {"stale", 0}, {"ghost", 0}}));
  // Every row that was marked is one that the source does not have.
  const auto sink = world->openSink();
  const auto source = world->openSource();
  world->quiesce();
  Scope all;
  std::set<std::string> live;
  const auto rows = source->rows(world->mapping(), all);
  StoredRow row;
  while (rows->next(row)) live.insert(displayKey(row.key));
  for (const auto& each : json::parse(driver->state().step(11).fact("preview.1")).at("sample")) {
    EXPECT_FALSE(live.contains(each.at("key").get<std::string>())) << each.at("key");
  }
}

TEST_F(Walk, StoppedLoadGoesOnInANewSegment) {
  begin();
  answers.refuse = "load";
  ASSERT_EQ(walk(*driver, answers).step, 9);
  struct StopEarly final : RunObserver {
    RunDriver* driver = nullptr;
    void stateChanged(const RunState& run) override {
      const std::string fact = run.step(9).fact("segment.1");
      if (!fact.empty() && json::parse(fact).at("segment").at("keys").at("count") >= 400) driver->requestStop();
    }
  } observer;
  const std::string runId = driver->state().runId;
  driver.reset();
  driver = RunDriver::open(*environment, folder / "runs", runId, &observer);
  observer.driver = driver.get();
  driver->arm();
  EXPECT_THROW(driver->perform(9, "load"), Cancelled);
  driver.reset();
  driver = RunDriver::open(*environment, folder / "runs", runId);
  answers.refuse.clear();
  const WalkResult result = walk(*driver, answers);
  ASSERT_EQ(result.end, WalkEnd::Finished) << reasons(result);
  const RunState run = driver->state();
  EXPECT_NE(run.step(9).fact("segment.2"), "");
  EXPECT_EQ(differences(run, 12, "differences_after"), json({{"missing", 0}, {"stale", 0}, {"ghost", 0}}));
}

}  // namespace
}  // namespace tidemark::test
