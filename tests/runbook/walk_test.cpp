#include "runbook/walk.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/report.h"
#include "tests/runbook/demo_environment.h"
#include "tests/runbook/scripted_answers.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {

using namespace runbook;
using nlohmann::json;

namespace {

DemoOptions smallWorld() {
  DemoOptions options;
  options.rows = 2000;
  options.differences = {40, 50, 30};
  options.olderTransactionAge = std::chrono::milliseconds(100);
  return options;
}

json differences(const RunState& run, int step, const char* fact) {
  return json::parse(run.step(step).fact(fact));
}

class Walk : public testing::Test {
 protected:
  void SetUp() override {
    world = DemoWorld::open(folder / "demo", smallWorld());
    world->start();
    environment = std::make_unique<DemoEnvironment>(*world);
  }
  void TearDown() override {
    driver.reset();
    environment.reset();
    world->stop();
  }
  void begin(DriverOptions options = {}) {
    driver = RunDriver::create(*environment, demoProfile(*world), folder / "runs", nullptr, options);
  }
  void openAgain() {
    const std::string runId = driver->state().runId;
    driver.reset();
    driver = RunDriver::open(*environment, folder / "runs", runId);
  }

  TemporaryFolder folder;
  std::unique_ptr<DemoWorld> world;
  std::unique_ptr<DemoEnvironment> environment;
  std::unique_ptr<RunDriver> driver;
  ScriptedAnswers answers;
};

std::string reasons(const WalkResult& result) {
  std::string all = "step " + std::to_string(result.step);
  for (const Obstacle& each : result.obstacles) all += "; " + each.text;
  return all;
}

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

TEST_F(Walk, DryRunMeasuresAndShowsButRefusesToWrite) {
  DriverOptions options;
  options.dryRun = true;
  begin(options);
  const WalkResult result = walk(*driver, answers);
  EXPECT_EQ(result.end, WalkEnd::NotArmed);
  EXPECT_EQ(result.step, 2);
  EXPECT_FALSE(driver->state().step(2).gates.empty());
  EXPECT_FALSE(driver->actions(2).front().statement.empty());
  EXPECT_THROW(driver->arm(), Error);
  EXPECT_EQ(environment->certifications, 0);
}

TEST_F(Walk, WithoutArmingNothingIsWritten) {
  answers.arms = false;
  begin();
  EXPECT_EQ(walk(*driver, answers).end, WalkEnd::NotArmed);
  try {
    driver->perform(2, "schema", {});
    FAIL() << "wrote without being armed";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "run.not_armed");
  }
}

TEST_F(Walk, ArmingLapsesWhenTheRunIsOpenedAgain) {
  begin();
  driver->arm();
  EXPECT_TRUE(driver->state().armed);
  openAgain();
  EXPECT_FALSE(driver->state().armed);
}

TEST_F(Walk, ContentFixAtTheSamePositionIsSentToANewTable) {
  begin();
  answers.answers["reason"] = "content_fix";
  try {
    walk(*driver, answers);
    FAIL() << "a content fix was accepted";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "answer.invalid");
    EXPECT_NE(std::string(problem.what()).find("new table"), std::string::npos);
  }
}

TEST_F(Walk, FilterThatDoesNotParseShutsTheFirstStep) {
  begin();
  answers.answers["filter"] = "no such ( column";
  const WalkResult result = walk(*driver, answers);
  EXPECT_EQ(result.end, WalkEnd::GateShut);
  EXPECT_EQ(result.step, 1);
  ASSERT_NE(driver->state().step(1).gate("scope.filter"), nullptr);
  EXPECT_EQ(driver->state().step(1).gate("scope.filter")->result, GateResult::Fail);
}

TEST_F(Walk, SinkThatDoesNotConvergeStopsTheRun) {
  environment->certificationPasses = false;
  begin();
  const WalkResult result = walk(*driver, answers);
  EXPECT_EQ(result.end, WalkEnd::GateShut);
  EXPECT_EQ(result.step, 2);
}

TEST_F(Walk, SweepWantsTheTableNameTypedExactly) {
  answers.refuse = "sweep";
  begin();
  const WalkResult result = walk(*driver, answers);
  ASSERT_EQ(result.end, WalkEnd::ActionRefused) << reasons(result);
  ASSERT_EQ(result.step, 11);
  try {
    driver->perform(11, "sweep", "Orders");
    FAIL() << "swept with another name";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "action.confirmation");
  }
  driver->perform(11, "sweep", " orders ");
  EXPECT_EQ(json::parse(driver->state().step(11).fact("swept.1")).at("marked"), 30);
}

TEST_F(Walk, MoreGhostsThanTheCapWantASecondPerson) {
  answers.waives = false;
  Profile profile = demoProfile(*world);
  profile.limits.sweepCapPermille = 1;
  driver = RunDriver::create(*environment, profile, folder / "runs");
  WalkResult result = walk(*driver, answers);
  EXPECT_EQ(result.end, WalkEnd::GateShut) << reasons(result);
  EXPECT_EQ(result.step, 11);
  EXPECT_FALSE(driver->state().step(11).evidence.contains("swept.1"));
  answers.waives = true;
  result = walk(*driver, answers);
  EXPECT_EQ(result.end, WalkEnd::Finished) << reasons(result);
  EXPECT_FALSE(driver->state().waivedGates().empty());
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

TEST_F(Walk, SecondDriverOfARunIsRefusedWithItsHolder) {
  begin();
  try {
    RunDriver::open(*environment, folder / "runs", driver->state().runId);
    FAIL() << "two drivers of one run";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "journal.locked");
    EXPECT_NE(std::string(problem.what()).find(Operator::current().user), std::string::npos);
  }
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

TEST_F(Walk, RangeTurnedRoundIsRefused) {
  begin();
  driver->measure(1);
  driver->answer(1, "from", "10");
  EXPECT_THROW(driver->answer(1, "to", "9"), Error);
  EXPECT_THROW(driver->answer(1, "to", "nine"), Error);
  driver->answer(1, "to", "10");
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
