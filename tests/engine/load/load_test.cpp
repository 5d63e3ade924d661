#include <fstream>

#include "tests/engine/load/load_fixture.h"

namespace tidemark::test {
namespace {

using LoadTest = LoadFixture;

TEST_F(LoadTest, LoadsEveryRowAtTheBoundaryAndListsEveryKeyInOrder) {
  fillSource(1, 95);
  const LoadRequest made = request();
  const Segment segment = load(made);

  EXPECT_EQ(sinkTable.live(), sourceTable.snapshot());
  for (const auto& [number, stored] : sinkTable.rows) EXPECT_EQ(stored.position, made.boundary.position);
  EXPECT_EQ(keysOf(made, segment), numbers(1, 95));
  EXPECT_TRUE(segment.closed);
  EXPECT_TRUE(segment.complete);
  EXPECT_EQ(segment.rowsRead, 95U);
  EXPECT_EQ(segment.rowsLoaded, 95U);
  EXPECT_EQ(segment.counts.inserted, 95U);
  EXPECT_EQ(segment.keysAtSource, 95U);
  EXPECT_EQ(sink.batches, (std::vector<std::size_t>{10, 10, 10, 10, 10, 10, 10, 10, 10, 5}));
  EXPECT_EQ(checkpoints.size(), 10U);
}

TEST_F(LoadTest, ASecondLoadChangesNothing) {
  fillSource(1, 30);
  const LoadRequest made = request();
  load(made);
  const Segment again = load(made);
  EXPECT_EQ(again.counts.skippedEqual, 30U);
  EXPECT_EQ(again.counts.inserted + again.counts.updated, 0U);
}

TEST_F(LoadTest, AnEmptyRangeIsCompleteWithAnEmptyList) {
  const LoadRequest made = request();
  const Segment segment = load(made);
  EXPECT_TRUE(segment.complete);
  EXPECT_TRUE(keysOf(made, segment).empty());
  EXPECT_EQ(segment.keysAtSource, 0U);
}

TEST_F(LoadTest, ChangesThatArriveDuringTheLoadWinOverIt) {
  fillSource(1, 50);
  LoadRequest made = request();
  onCheckpoint = [this](const Segment& segment) {
    if (segment.rowsLoaded != 20) return;
    deliver(sourceTable.put(key(45), row("new")));
    deliver(sourceTable.put(key(5), row("new")));
    deliver(sourceTable.remove(key(46)));
    deliver(sourceTable.put(key(99), row("new")));
  };
  const Segment segment = load(made);
  EXPECT_EQ(sinkTable.live(), sourceTable.snapshot());
  EXPECT_EQ(segment.counts.skippedOlder, 2U);
  // The list is the snapshot's: a key that is deleted or inserted since makes no difference to it.
  EXPECT_EQ(keysOf(made, segment), numbers(1, 50));
  EXPECT_EQ(segment.keysAtSource, 50U);
}

TEST_F(LoadTest, AChangeRightAfterTheBoundaryIsNotLost) {
  fillSource(1, 3);
  const LoadRequest made = request();
  const Change change = sourceTable.put(key(2), row("new"));
  ASSERT_EQ(change.lsn, made.boundary.low);
  load(made);
  deliver(change);
  EXPECT_EQ(sinkTable.live(), sourceTable.snapshot());
}

TEST_F(LoadTest, AnInterruptedLoadGoesOnAsANewSegmentWithWritersInBetween) {
  fillSource(1, 100);
  const LoadRequest first = request();
  sink.failAfter = 4;
  EXPECT_EQ(codeOf([&] { load(first); }), "sink.connection_lost");
  sink.failAfter.reset();
  ASSERT_EQ(checkpoints.size(), 4U);

  deliver(sourceTable.put(key(7), row("new")));
  deliver(sourceTable.remove(key(8)));
  deliver(sourceTable.put(key(90), row("new")));
  deliver(sourceTable.remove(key(91)));
  deliver(sourceTable.put(key(500), row("new")));

  NoProgress progress;
  const Segment closed = closeInterruptedSegment(source, sink, first, checkpoints.back(), {}, progress);
  EXPECT_TRUE(closed.closed);
  EXPECT_FALSE(closed.complete);
  EXPECT_EQ(closed.range.to, (KeyBound{key(40), true}));
  EXPECT_EQ(keysOf(first, closed), numbers(1, 40));

  const auto rest = rangeAfter(first.scope.range, closed, closed.complete);
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(rest->from, (KeyBound{key(40), false}));
  const LoadRequest second = request(*rest, 2);
  EXPECT_GT(second.boundary.position, first.boundary.position);
  const Segment last = load(second);
  EXPECT_TRUE(last.complete);
  EXPECT_EQ(keysOf(second, last).front(), key(41));
  EXPECT_EQ(keysOf(second, last).back(), key(500));
  EXPECT_EQ(rangeAfter(second.scope.range, last, true), std::nullopt);
  EXPECT_EQ(sinkTable.live(), sourceTable.snapshot());
}

TEST_F(LoadTest, ALineBeyondTheLastCheckpointIsCutFromTheClosedList) {
  fillSource(1, 30);
  const LoadRequest made = request();
  onCheckpoint = [](const Segment& segment) {
    if (segment.rowsLoaded == 20) throw Error("test.crash", "between commit and journal");
  };
  EXPECT_EQ(codeOf([&] { load(made); }), "test.crash");
  ASSERT_EQ(checkpoints.size(), 2U);
  NoProgress progress;
  // The journal has the first checkpoint only; the list's file already holds the second batch.
  const Segment closed = closeInterruptedSegment(source, sink, made, checkpoints.front(), {}, progress);
  EXPECT_EQ(keysOf(made, closed), numbers(1, 10));
}

TEST_F(LoadTest, ASegmentWithoutCheckpointCannotBeClosed) {
  fillSource(1, 30);
  const LoadRequest made = request();
  sink.failAfter = 0;
  EXPECT_EQ(codeOf([&] { load(made); }), "sink.connection_lost");
  EXPECT_TRUE(checkpoints.empty());
  NoProgress progress;
  EXPECT_EQ(codeOf([&] { closeInterruptedSegment(source, sink, made, Segment{}, {}, progress); }),
            "load.nothing_to_close");
  EXPECT_EQ(rangeAfter({}, Segment{}, false), KeyRange{});
}

TEST_F(LoadTest, ALostSourceStopsTheLoadAndKeepsWhatWasCommitted) {
  fillSource(1, 100);
  source.failAfter = 55;
  EXPECT_EQ(codeOf([&] { load(request()); }), "source.connection_lost");
  ASSERT_LE(checkpoints.size(), 5U);
  EXPECT_EQ(sinkTable.live().size(), checkpoints.size() * 10);
}

TEST_F(LoadTest, AStopEndsAfterTheCurrentBatch) {
  fillSource(1, 100);
  std::stop_source stop;
  onCheckpoint = [&](const Segment& segment) {
    if (segment.rowsLoaded == 30) stop.request_stop();
  };
  EXPECT_EQ(codeOf([&] { load(request(), stop.get_token()); }), "cancelled");
  EXPECT_EQ(sinkTable.live().size(), 30U);
  EXPECT_EQ(checkpoints.back().keys.summary.count, 30U);
}

TEST_F(LoadTest, ARestartOfTheSourceVoidsTheSegment) {
  fillSource(1, 20);
  onCheckpoint = [this](const Segment&) { sourceTable.restart(); };
  EXPECT_EQ(codeOf([&] { load(request()); }), "boundary.server_restarted");
}

TEST_F(LoadTest, KeysInAnotherOrderAreRefused) {
  fillSource(1, 20);
  source.descending = true;
  EXPECT_EQ(codeOf([&] { load(request()); }), "source.key_order");
  EXPECT_TRUE(sinkTable.live().empty());
}

TEST_F(LoadTest, TheRangeAfterASegmentLeavesNoGapAndNoOverlap) {
  Segment segment;
  segment.keys.summary.count = 1;
  segment.keys.last = key(7);
  segment.range.to = KeyBound{key(9), false};
  const KeyRange whole{KeyBound{key(1), true}, KeyBound{key(20), true}};
  EXPECT_EQ(rangeAfter(whole, segment, true), (KeyRange{KeyBound{key(9), true}, whole.to}));
  EXPECT_EQ(rangeAfter(whole, segment, false), (KeyRange{KeyBound{key(7), false}, whole.to}));
  segment.range.to = whole.to;
  EXPECT_EQ(rangeAfter(whole, segment, true), std::nullopt);
  segment.keys.last = key(20);
  EXPECT_EQ(rangeAfter(whole, segment, false), std::nullopt);
}

}  // namespace
}  // namespace tidemark::test
