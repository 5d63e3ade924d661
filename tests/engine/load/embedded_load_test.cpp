// The whole way on the embedded databases: load in two segments while writers go on, sweep, verify.
#include <map>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/load/load.h"
#include "engine/load/reread.h"
#include "engine/simulator/demo_world.h"
#include "engine/verify/verify.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {
namespace {

class EmbeddedLoadTest : public testing::Test {
 protected:
  static DemoOptions options() {
    DemoOptions made;
    made.rows = 900;
    made.differences = {12, 15, 8};
    made.transactionsPerSecond = 400;
    made.olderTransactionAge = std::chrono::milliseconds(20);
    return made;
  }

  VerifyReport verifyWorld(std::optional<Position> boundary = {}) {
    const auto source = world->openSource();
    const auto sink = world->openSink();
    VerifyOptions made;
    made.boundary = boundary;
    made.rowsPerBucket = 100;
    made.betweenPasses = [this] { world->waitUntilSinkCaughtUp(); };
    return verify(*source, *sink, world->mapping(), {}, made, {}, progress);
  }

  LoadRequest request(Source& source, const KeyRange& range, int number) {
    LoadRequest made;
    made.mapping = world->mapping();
    made.scope.range = range;
    made.boundary = source.captureBoundary({}, {}, {});
    made.segmentNumber = number;
    made.keyFile = folder / ("segment-" + std::to_string(number) + ".keys");
    made.pace.batchRows = 100;
    return made;
  }

  std::uint64_t sweep(Source& source, Sink& sink, const LoadRequest& loaded, const Segment& segment) {
    checkKeyCount(source, sink, loaded.mapping, segment, loaded.keyFile, {});
    SweepRequest made;
    made.runId = "run-" + std::to_string(segment.number);
    made.scope.range = segment.range;
    made.boundary = segment.boundary.position;
    const auto keys = openKeyList(loaded.keyFile, segment.keys.summary);
    sink.previewSweep(loaded.mapping, made, *keys, {}, progress);
    return sink.commitSweep(loaded.mapping, made, 0).marked;
  }

  TemporaryFolder folder;
  std::unique_ptr<DemoWorld> world = DemoWorld::open(folder / "world", options());
  NoProgress progress;
};

TEST_F(EmbeddedLoadTest, VerificationFindsWhatTheSinkHasLostAndARereadMendsIt) {
  const VerifyReport before = verifyWorld();
  EXPECT_EQ(before.missing, 12U);
  EXPECT_EQ(before.stale, 15U);
  EXPECT_EQ(before.ghosts, 8U);
  EXPECT_EQ(before.inFlight, 0U);
  EXPECT_GE(before.buckets.size(), 9U);

  std::vector<Key> keys;
  for (const Difference& difference : before.differences) keys.push_back(difference.key);
  const auto source = world->openSource();
  const auto sink = world->openSink();
  sink->ensureSchema();
  const RereadResult mended = rereadKeys(*source, *sink, world->mapping(), keys, {}, {}, {});
  EXPECT_EQ(mended.present, 27U);
  EXPECT_EQ(mended.absent, 8U);
  world->startFeeder();  // Capturing the boundary waited for a transaction, whose change is still on its way.
  world->quiesce();
  const VerifyReport after = verifyWorld(mended.boundary.position);
  EXPECT_EQ(after.differingFirstPass, 0U);
  EXPECT_EQ(after.sourceDigest, after.sinkDigest);
}

TEST_F(EmbeddedLoadTest, AnInterruptedLoadIsSweptInTwoSegmentsWithoutTouchingALiveRow) {
  world->start();
  const auto source = world->openSource();
  const auto sink = world->openSink();
  sink->ensureSchema();
  PauseControl control;
  std::optional<Segment> journalled;
  const LoadRequest first = request(*source, {}, 1);
  const auto crash = [&](const Segment& segment) {
    if (segment.rowsRead > 400) throw Error("test.crash", "between commit and journal");
    journalled = segment;
  };
  EXPECT_THROW(loadSegment(*source, *sink, first, control, crash, {}, progress), Error);
  ASSERT_TRUE(journalled.has_value());
  const Segment closed = closeInterruptedSegment(*source, *sink, first, *journalled, {}, progress);
  const auto rest = rangeAfter(first.scope.range, closed, closed.complete);
  ASSERT_TRUE(rest.has_value());
  const LoadRequest second = request(*source, *rest, 2);
  const Segment last = loadSegment(*source, *sink, second, control, {}, {}, progress);
  EXPECT_TRUE(last.complete);
  EXPECT_LT(first.boundary.position, second.boundary.position);

  world->waitUntilSinkCaughtUp();
  EXPECT_EQ(sweep(*source, *sink, first, closed) + sweep(*source, *sink, second, last), 8U);
  EXPECT_EQ(verifyWorld(closed.boundary.position).toRepair(), 0U) << "writers are still at work";
  world->quiesce();
  for (int pass = 1; pass <= 2; ++pass) {
    const VerifyReport report = verifyWorld(closed.boundary.position);
    EXPECT_EQ(report.differingFirstPass, 0U) << pass;
    EXPECT_EQ(report.suspects, 0U) << pass;
  }
  std::map<std::int64_t, std::string> newest;
  for (const Straddle& straddle : world->straddles()) newest[straddle.id] = straddle.status;
  EXPECT_FALSE(newest.empty());
  for (const auto& [id, status] : newest) {
    const std::vector<Key> keys{{std::to_string(id)}};
    EXPECT_EQ(sink->readKeys(world->mapping(), keys).at(0).payload.at(1).text, status);
  }
}

TEST_F(EmbeddedLoadTest, ARowThatLeftTheFilterIsLoadedAndNotSwept) {
  const auto source = world->openSource();
  const auto sink = world->openSink();
  sink->ensureSchema();
  LoadRequest made = request(*source, {}, 1);
  made.scope.filter = made.scope.sinkFilter = "status = 'new'";
  PauseControl control;
  const Segment segment = loadSegment(*source, *sink, made, control, {}, {}, progress);
  SweepRequest asked;
  asked.runId = "run";
  asked.scope = made.scope;
  asked.boundary = segment.boundary.position;
  const auto keys = openKeyList(made.keyFile, segment.keys.summary);
  sink->previewSweep(made.mapping, asked, *keys, {}, progress);
  sink->commitSweep(made.mapping, asked, 0);
  VerifyOptions compared;
  compared.boundary = segment.boundary.position;
  const VerifyReport report = verify(*source, *sink, made.mapping, made.scope, compared, {}, progress);
  EXPECT_EQ(report.toRepair(), 0U);
  EXPECT_EQ(report.suspects, 0U);
}

}  // namespace
}  // namespace tidemark::test
