#include "tests/e2e/postgres/interference.h"
#include "tests/e2e/postgres/live_feed.h"

// Whatever is killed, and wherever: the run goes on from what it finds, and ends as if nothing had happened.

namespace tidemark::test {
namespace {

using nlohmann::json;

constexpr std::uint64_t kRows = 20000;
constexpr std::uint64_t kLost = 20;
constexpr std::uint64_t kHeldRow = 10501;  ///< In the middle of the load, and left alone by the writers.
constexpr std::uint64_t kHeldGhost = kRows + 110;

class InterruptedRun : public ::testing::Test {
 protected:
  // A row that a test holds would hold the boundary back, too, were both sides on one server.
  InterruptedRun() : world({}, Servers::Two) {
    world.makeOrders(kRows);
    world.loseRows(kRows, kLost);
    world.profile["limits"]["batch_rows"] = 1000;
  }

  /// Goes on with the run and expects it to finish with everything mended.
  CommandResult resumeToTheEnd() {
    const CommandResult resumed = world.ctl({"resume", world.runId(), "--json"});
    expectAllStepsPassed(resumed);
    world.expectMended(kRows, kLost);
    return resumed;
  }
  json evidence(int step) {
    const json report = resultOf(world.ctl({"report", world.runId(), "--json"}));
    return report.at("steps").at(static_cast<std::size_t>(step - 1)).at("evidence");
  }
  /// What was found out about an interrupted effect, from the journal.
  std::string reconciled() {
    const json report = resultOf(world.ctl({"report", world.runId(), "--json"}));
    std::string found;
    for (const json& entry : report.at("journal").at("entries"))
      if (entry.at("kind") == "effect_reconciled") found += entry.at("payload").at("text").get<std::string>() + "\n";
    return found;
  }

  /// Brings a run to the point where the sweep's commit was sent and its answer is held back; the session's process.
  std::string hangInTheSweepsCommit(ChildProcess& run) {
    OtherSession held = holdSinkRow(world, kHeldGhost);
    if (!waitsForALock(world, run)) return {};
    holdCommitAnswers(world);
    held.release();
    return waitingCommit(world, run);
  }

  BackfillWorld world;
};

TEST_F(InterruptedRun, KilledInTheLoadGoesOnInASecondSegmentWhileWritersGoOn) {
  Writers writers(world, kRows, 200);
  LiveFeed feed(world);
  OtherSession held = holdSinkRow(world, kHeldRow);
  const auto run = world.startCtl({"run", "--json"});
  ASSERT_TRUE(waitsForALock(world, *run)) << run->error();
  EXPECT_EQ(run->kill().signal, SIGKILL);
  held.release();
  const std::uint64_t seen = feed.events();
  ASSERT_TRUE(eventually("changes go on between the two segments", [&] { return feed.events() > seen + 100; }));
  const CommandResult resumed = world.ctl({"resume", world.runId(), "--json"});
  expectAllStepsPassed(resumed);
  writers.stop();
  feed.drainAndStop();
  EXPECT_EQ(feed.failures(), std::vector<std::string>{});
  world.expectMended(kRows, kLost);
  const json segments = evidence(9);
  ASSERT_TRUE(segments.contains("segment.2")) << segments.dump();
  EXPECT_FALSE(segments.contains("segment.3"));
  const json& first = segments["segment.1"]["segment"];
  const json& second = segments["segment.2"]["segment"];
  EXPECT_TRUE(first["closed"]) << first.dump();
  EXPECT_LT(first["boundary"]["low"], second["boundary"]["low"]);
  EXPECT_EQ(first["range"]["to"]["key"], second["range"]["from"]["key"]) << "disjoint, and without a gap";
}

TEST_F(InterruptedRun, KilledInTheSweepMarksNothingTwiceAndNothingByHalves) {
  OtherSession held = holdSinkRow(world, kHeldGhost);
  const auto run = world.startCtl({"run", "--json"});
  ASSERT_TRUE(waitsForALock(world, *run)) << run->error();
  ASSERT_NE(run->error().find("step 11"), std::string::npos) << run->error();
  EXPECT_EQ(run->kill().signal, SIGKILL);
  held.release();
  resumeToTheEnd();
  EXPECT_NE(reconciled().find("rolled back as a whole"), std::string::npos) << reconciled();
}

TEST_F(InterruptedRun, KilledInTheCertificationLeavesNoScratchTable) {
  const std::string scratch = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'certify\\_%'";
  const auto run = world.startCtl({"run", "--json"});
  ASSERT_TRUE(
      eventually("the certification is at work", [&] { return world.sink(scratch) != "0\n" || !run->running(); }));
  EXPECT_EQ(run->kill().signal, SIGKILL);
  EXPECT_NE(world.sink(scratch), "0\n");
  resumeToTheEnd();
  EXPECT_EQ(world.sink(scratch), "0\n");
  EXPECT_EQ(world.sink("SELECT count(*) FROM pg_namespace WHERE nspname = 'tidemark_scratch'"), "0\n");
}

TEST_F(InterruptedRun, KilledInTheSweepsCommitFindsOutThatItTookPlace) {
  const auto run = world.startCtl({"run", "--json"});
  ASSERT_FALSE(hangInTheSweepsCommit(*run).empty()) << run->error();
  EXPECT_EQ(run->kill().signal, SIGKILL);
  // While the server still works on it nobody can know: the run waits for that session and says so.
  const CommandResult early = world.ctl({"resume", world.runId(), "--json"});
  EXPECT_NE(early.status, 0) << early.errors;
  EXPECT_NE(early.errors.find("still connected"), std::string::npos) << early.errors;
  EXPECT_EQ(reconciled(), "");
  answerCommits(world);
  resumeToTheEnd();
  EXPECT_NE(reconciled().find("The interrupted commit took place: 20 rows"), std::string::npos) << reconciled();
}

TEST_F(InterruptedRun, ALostAnswerToACommitIsInDoubtUntilItWasMeasured) {
  const auto run = world.startCtl({"run", "--json"});
  const std::string session = hangInTheSweepsCommit(*run);
  ASSERT_FALSE(session.empty()) << run->error();
  world.sink("SET synchronous_commit = local; SELECT pg_terminate_backend(" + session + ")");
  ASSERT_TRUE(eventually("the session gives its wait up without an answer", [&] {
    return world.sinkServer().log().find("canceling the wait for synchronous replication") != std::string::npos;
  }));
  answerCommits(world);
  const CommandResult ended = resultOf(*run);
  EXPECT_EQ(ended.status, 5) << ended.errors;
  EXPECT_NE(ended.errors.find("the answer to a commit was lost"), std::string::npos) << ended.errors;
  EXPECT_NE(ended.errors.find("What to do: Whether the commit took place"), std::string::npos) << ended.errors;
  resumeToTheEnd();
  EXPECT_NE(reconciled().find("The interrupted commit took place: 20 rows"), std::string::npos) << reconciled();
}

TEST_F(InterruptedRun, SinkServerKilledInTheLoad) {
  OtherSession held = holdSinkRow(world, kHeldRow);
  const auto run = world.startCtl({"run", "--json"});
  ASSERT_TRUE(waitsForALock(world, *run)) << run->error();
  world.sinkServer().killHard();
  const CommandResult ended = resultOf(*run);
  EXPECT_EQ(ended.status, 1) << ended.errors;
  EXPECT_NE(ended.errors.find("the connection was lost"), std::string::npos) << ended.errors;
  EXPECT_NE(ended.errors.find("What to do:"), std::string::npos) << ended.errors;
  world.sinkServer().start();
  resumeToTheEnd();
}

TEST_F(InterruptedRun, SourceServerKilledInTheReadVoidsTheSegment) {
  OtherSession held = holdSinkRow(world, kHeldRow);
  const auto run = world.startCtl({"run", "--json"});
  ASSERT_TRUE(waitsForALock(world, *run)) << run->error();
  world.server.killHard();
  world.server.start();
  held.release();
  const CommandResult ended = resultOf(*run);
  EXPECT_EQ(ended.status, 1) << ended.errors;
  const json before = evidence(9)["segment.1"]["segment"];
  // A restart takes the counters away that tell a table that stands still: the stream has to move for the sweep.
  Writers writers(world, kRows, 50);
  LiveFeed feed(world);
  expectAllStepsPassed(world.ctl({"resume", world.runId(), "--json"}));
  writers.stop();
  feed.drainAndStop();
  world.expectMended(kRows, kLost);
  const json segments = evidence(9);
  EXPECT_LT(before["boundary"]["low"], segments["segment.1"]["segment"]["boundary"]["low"])
      << "what was read before the crash is read again under a new boundary";
  EXPECT_FALSE(segments.contains("segment.2")) << segments.dump();
}

}  // namespace
}  // namespace tidemark::test
