#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/walk.h"
#include "tests/runbook/demo_environment.h"
#include "tests/runbook/scripted_answers.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {

using namespace runbook;
using nlohmann::json;

namespace {

/// Nothing in the product catches it: like a kill, it leaves the journal as it stands.
struct Killed {};

/// Ends the process, so to speak, right after a journal entry that `when` picks.
class Killer final : public RunObserver {
 public:
  void journalAppended(const JournalEntry& entry) override {
    const RunEvent event = decodeEvent(entry.kind, entry.time, entry.payload);
    if (when && when(event)) throw Killed{};
  }
  std::function<bool(const RunEvent&)> when;
};

class Crash : public testing::Test {
 protected:
  void SetUp() override {
    DemoOptions options;
    options.rows = 1500;
    options.differences = {20, 20, 20};
    options.olderTransactionAge = std::chrono::milliseconds(50);
    world = DemoWorld::open(folder / "demo", options);
    world->start();
    environment = std::make_unique<DemoEnvironment>(*world);
    driver = RunDriver::create(*environment, demoProfile(*world), folder / "runs", &killer);
    runId = driver->state().runId;
  }
  void TearDown() override {
    driver.reset();
    environment.reset();
    world->stop();
  }
  bool walkIsKilled() {
    try {
      last = walk(*driver, answers);
      return false;
    } catch (const Killed&) {
      return true;
    }
  }
  void openAgain() {
    driver.reset();
    driver = RunDriver::open(*environment, folder / "runs", runId, &killer);
  }
  void killAt(const std::string& kind, int step, const std::string& id) {
    killer.when = [=](const RunEvent& event) {
      return eventName(event.kind) == kind && event.step == step && event.id == id;
    };
  }
  void expectConverged() {
    ASSERT_EQ(last.end, WalkEnd::Finished)
        << last.step << " " << (last.obstacles.empty() ? "" : last.obstacles[0].text);
    EXPECT_EQ(json::parse(driver->state().step(12).fact("differences_after")),
              json({{"missing", 0}, {"stale", 0}, {"ghost", 0}}));
  }

  TemporaryFolder folder;
  std::unique_ptr<DemoWorld> world;
  std::unique_ptr<DemoEnvironment> environment;
  Killer killer;
  std::unique_ptr<RunDriver> driver;
  std::string runId;
  ScriptedAnswers answers;
  WalkResult last;
};

TEST_F(Crash, KilledAtEveryEffectTheRunStillConverges) {
  std::set<std::string> seen;
  killer.when = [&](const RunEvent& event) {
    if (event.kind != EventKind::EffectAnnounced && event.kind != EventKind::EffectFinished) return false;
    return seen.insert(std::string(eventName(event.kind)) + std::to_string(event.step) + event.id).second;
  };
  int kills = 0;
  while (walkIsKilled()) {
    ASSERT_LT(++kills, 60);
    openAgain();
    EXPECT_FALSE(driver->state().armed);
  }
  EXPECT_GE(kills, 20);
  expectConverged();
}

TEST_F(Crash, KilledInTheMiddleOfTheLoadTheNextSegmentGoesOnAfterTheLastCheckpoint) {
  int checkpoints = 0;
  killer.when = [&](const RunEvent& event) {
    return event.kind == EventKind::EvidenceRecorded && event.id == "segment.1" && ++checkpoints == 4;
  };
  ASSERT_TRUE(walkIsKilled());
  const auto atCheckpoint = json::parse(driver->state().step(9).fact("segment.1")).at("segment");
  killer.when = {};
  openAgain();
  ASSERT_TRUE(driver->state().interrupted);
  EXPECT_TRUE(driver->state().interrupted->reconciled);
  EXPECT_FALSE(walkIsKilled());
  expectConverged();
  const RunState run = driver->state();
  const json first = json::parse(run.step(9).fact("segment.1")).at("segment");
  const json second = json::parse(run.step(9).fact("segment.2")).at("segment");
  EXPECT_EQ(first.at("keys").at("count"), atCheckpoint.at("keys").at("count"));
  EXPECT_EQ(second.at("range").at("from").at("key"), first.at("keys").at("last"));
  EXPECT_FALSE(second.at("range").at("from").at("inclusive"));
  EXPECT_GT(second.at("boundary").at("low"), first.at("boundary").at("low"));
}

TEST_F(Crash, NothingGoesOnWithoutAnAnswer) {
  killAt("effect_announced", 9, "load");
  ASSERT_TRUE(walkIsKilled());
  killer.when = {};
  openAgain();
  answers.answers.erase("resume");
  EXPECT_FALSE(walkIsKilled());
  EXPECT_EQ(last.end, WalkEnd::AnswerMissing);
  ASSERT_EQ(last.obstacles.size(), 1u);
  EXPECT_EQ(last.obstacles[0].question, "resume");
  driver->arm();
  EXPECT_THROW(driver->perform(9, "load"), Error);
  EXPECT_TRUE(driver->state().step(9).fact("segment.1").empty());
  answers.answers["resume"] = "continue";
  EXPECT_FALSE(walkIsKilled());
  expectConverged();
}

TEST_F(Crash, SweepThatWasCommittedBeforeTheCrashIsFoundAndNotRepeated) {
  killAt("effect_announced", 11, "sweep");
  ASSERT_TRUE(walkIsKilled());
  killer.when = {};
  {
    // What the dead process did last: it committed, and never got to journal it.
    const auto sink = world->openSink();
    const json segment = json::parse(driver->state().step(9).fact("segment.1")).at("segment");
    SweepRequest request;
    request.runId = runId;
    request.boundary.element = segment.at("boundary").at("position").get<std::array<std::int64_t, 3>>();
    EXPECT_EQ(sink->commitSweep(demoMapping(), request, 0).marked, 20u);
  }
  openAgain();
  ASSERT_TRUE(driver->state().interrupted);
  EXPECT_NE(driver->state().interrupted->outcome.find("20"), std::string::npos);
  EXPECT_EQ(json::parse(driver->state().step(11).fact("swept.1")).at("marked"), 20);
  answers.performed.clear();
  EXPECT_FALSE(walkIsKilled());
  expectConverged();
  EXPECT_EQ(std::count(answers.performed.begin(), answers.performed.end(), "11.sweep"), 0);
  EXPECT_EQ(world->openSink()->beforeImages(runId), 20u);
}

TEST_F(Crash, SweepThatWasRolledBackIsDoneAfterTheAnswer) {
  killAt("effect_announced", 11, "sweep");
  ASSERT_TRUE(walkIsKilled());
  killer.when = {};
  openAgain();
  EXPECT_TRUE(driver->state().step(11).fact("swept.1").empty());
  EXPECT_FALSE(walkIsKilled());
  expectConverged();
}

TEST_F(Crash, ReadingARunTakesNoLockAndTellsThatItIsInterrupted) {
  killAt("effect_announced", 6, "capture");
  ASSERT_TRUE(walkIsKilled());
  killer.when = {};
  const auto whileDriven = listRuns(folder / "runs");
  ASSERT_EQ(whileDriven.size(), 1u);
  EXPECT_NE(whileDriven[0].lockedBy, "");
  driver.reset();
  const auto runs = listRuns(folder / "runs");
  EXPECT_EQ(runs[0].lockedBy, "");
  EXPECT_TRUE(runs[0].interrupted);
  EXPECT_EQ(runs[0].currentStep, 6);
  EXPECT_EQ(readRun(folder / "runs", runId).runId, runId);
}

}  // namespace
}  // namespace tidemark::test
