#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>

#include "tests/runbook/walk_fixture.h"

namespace tidemark::test {

namespace {

void rawSql(const std::filesystem::path& file, const char* statement) {
  {
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "raw");
    database.setDatabaseName(QString::fromStdString(file.string()));
    database.setConnectOptions("QSQLITE_BUSY_TIMEOUT=10000");
    ASSERT_TRUE(database.open());
    QSqlQuery query(database);
    EXPECT_TRUE(query.exec(statement)) << query.lastError().text().toStdString();
  }
  QSqlDatabase::removeDatabase("raw");
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

TEST_F(Walk, RangeTurnedRoundIsRefused) {
  begin();
  driver->measure(1);
  driver->answer(1, "from", "10");
  EXPECT_THROW(driver->answer(1, "to", "9"), Error);
  EXPECT_THROW(driver->answer(1, "to", "nine"), Error);
  driver->answer(1, "to", "10");
}

TEST_F(Walk, TableLockOfAnotherRunIsOnlyBrokenKnowingly) {
  {
    const auto sink = world->openSink();
    sink->ensureSchema();
    sink->lockTable(world->mapping(), {"another-run", "somebody", "elsewhere", 7, "2026-03-01T09:00:00.000Z"});
  }
  begin();
  answers.refuse = "break_lock";
  const WalkResult shut = walk(*driver, answers);
  EXPECT_EQ(shut.end, WalkEnd::GateShut);
  ASSERT_FALSE(shut.obstacles.empty());
  EXPECT_EQ(shut.obstacles[0].gate, "sink.lock");
  EXPECT_NE(shut.obstacles[0].text.find("another-run"), std::string::npos);
  EXPECT_THROW(driver->perform(2, "break_lock", "some-other-run"), Error);
  driver->perform(2, "break_lock", "another-run");
  EXPECT_TRUE(driver->state().step(2).gate("sink.lock")->open());
  EXPECT_FALSE(world->openSink()->lockHolder(world->mapping()));
}

TEST_F(Walk, TriggerThatAppearsAfterThePlanShutsTheLoadUntilItIsWaived) {
  begin();
  answers.refuse = "canary";
  ASSERT_EQ(walk(*driver, answers).step, 7);
  rawSql(world->sinkFile(), "CREATE TRIGGER surprise AFTER INSERT ON orders BEGIN SELECT 1; END");
  answers.refuse.clear();
  answers.waives = false;
  const WalkResult shut = walk(*driver, answers);
  EXPECT_EQ(shut.end, WalkEnd::GateShut) << reasons(shut);
  EXPECT_EQ(shut.step, 7);
  ASSERT_FALSE(shut.obstacles.empty());
  EXPECT_EQ(shut.obstacles[0].gate, "write.sink_fit");
  EXPECT_TRUE(driver->state().step(7).fact("sample").empty());
  answers.waives = true;
  const WalkResult result = walk(*driver, answers);
  EXPECT_EQ(result.end, WalkEnd::Finished) << reasons(result);
}

TEST_F(Walk, ColumnThatVanishesAfterThePlanStopsTheRun) {
  begin();
  answers.refuse = "load";
  ASSERT_EQ(walk(*driver, answers).step, 9);
  world->stop();
  rawSql(world->sinkFile(), "ALTER TABLE orders RENAME COLUMN status TO state");
  openAgain();
  answers.refuse.clear();
  const WalkResult result = walk(*driver, answers);
  EXPECT_EQ(result.end, WalkEnd::GateShut) << reasons(result);
  EXPECT_EQ(driver->state().step(9).gate("write.tables")->result, GateResult::Fail);
  EXPECT_TRUE(driver->state().step(9).fact("segment.1").empty());
}

TEST_F(Walk, ServerThatIsAwayFailsTheStepWithTheReasonAndLetsItGoOnLater) {
  begin();
  environment->onOpenSource = [] {
    throw Error("source.connect", "The server is away: %1 %2.", {.hint = "Start it."});
  };
  EXPECT_THROW(walk(*driver, answers), Error);
  EXPECT_EQ(driver->state().step(1).status, StepStatus::Failed);
  EXPECT_EQ(driver->state().step(1).lastError->code, "source.connect");
  ASSERT_FALSE(driver->obstacles(1).empty());
  EXPECT_EQ(driver->obstacles(1)[0].text, "The server is away: %1 %2.");
  environment->onOpenSource = nullptr;
  answers.refuse = "certify";
  EXPECT_EQ(walk(*driver, answers).step, 2);
}

TEST_F(Walk, GhostThatTheStreamTookBackVoidsThePreview) {
  begin();
  answers.refuse = "sweep";
  ASSERT_EQ(walk(*driver, answers).step, 11);
  const auto sink = world->openSink();
  const json sample = json::parse(driver->state().step(11).fact("preview.1")).at("sample");
  ASSERT_FALSE(sample.empty());
  Change change;
  change.key = {sample[0].at("key").get<std::string>()};
  change.deleted = true;
  change.position.element[0] = world->openSource()->newestPosition();
  ASSERT_EQ(sink->apply(world->mapping(), std::vector<Change>{change}).counts.markedDeleted, 1u);
  try {
    driver->perform(11, "sweep", "orders");
    FAIL() << "swept another set than was shown";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "sweep.count_changed");
  }
  EXPECT_EQ(sink->beforeImages(driver->state().runId), 0u);
  EXPECT_THROW(driver->perform(11, "sweep", "orders"), Error);
  answers.refuse.clear();
  answers.performed.clear();
  const WalkResult result = walk(*driver, answers);
  ASSERT_EQ(result.end, WalkEnd::Finished) << reasons(result);
  EXPECT_EQ(answers.performed.front(), "11.preview");
  EXPECT_EQ(json::parse(driver->state().step(11).fact("swept.1")).at("marked"), 29);
}

}  // namespace
}  // namespace tidemark::test
