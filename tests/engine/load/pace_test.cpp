#include "tests/engine/load/load_fixture.h"

namespace tidemark::test {
namespace {

using PaceTest = LoadFixture;

/// Keeps every pause that is reported, and may act on it.
class PauseWatcher final : public ProgressSink {
 public:
  std::function<void()> onPause;
  std::vector<std::string> causes;

  void report(const Progress& progress) override {
    if (progress.pausedBecause.empty()) return;
    causes.push_back(progress.pausedBecause);
    if (onPause) onPause();
  }
};

TEST_F(PaceTest, APauseThatLastsTooLongEndsTheSegmentAtItsLastKey) {
  fillSource(1, 100);
  LoadRequest made = request();
  made.pace.longestPause = std::chrono::seconds(0);
  onCheckpoint = [this](const Segment& segment) {
    if (segment.rowsLoaded != 30) return;
    sourceTable.put(key(-5), row("inserted since"));
    control.pause("operator");
  };
  const Segment first = load(made);
  EXPECT_TRUE(first.closed);
  EXPECT_FALSE(first.complete);
  EXPECT_EQ(first.range.to, (KeyBound{key(30), true}));
  EXPECT_EQ(keysOf(made, first), numbers(1, 30));
  EXPECT_EQ(first.keysAtSource, 30U) << "counted in the segment's own snapshot, up to its last key";
  EXPECT_EQ(sinkTable.live().size(), 30U) << "nothing that was read ahead may be applied";

  onCheckpoint = {};
  control.resume();
  const LoadRequest rest = request(*rangeAfter(made.scope.range, first, first.complete), 2);
  const Segment second = load(rest);
  EXPECT_EQ(keysOf(rest, second), numbers(31, 100));
}

TEST_F(PaceTest, APauseBeforeTheStartWaitsWithoutASnapshot) {
  fillSource(1, 20);
  LoadRequest made = request();
  made.pace.longestPause = std::chrono::seconds(0);
  control.pause("the connector restarts");
  PauseWatcher watcher;
  watcher.onPause = [this] {
    sourceTable.put(key(21), row("seen by the snapshot, since it is taken later"));
    control.resume();
  };
  const Segment segment = loadSegment(source, sink, made, control, {}, {}, watcher);
  EXPECT_EQ(watcher.causes, std::vector<std::string>{"the connector restarts"});
  EXPECT_TRUE(segment.complete);
  EXPECT_EQ(segment.rowsLoaded, 21U);
}

TEST_F(PaceTest, AResumedPauseGoesOnInTheSameSegment) {
  fillSource(1, 50);
  const LoadRequest made = request();
  onCheckpoint = [this](const Segment& segment) {
    if (segment.rowsLoaded == 20) control.pause("lunch");
  };
  PauseWatcher watcher;
  watcher.onPause = [this] { control.resume(); };
  const Segment segment = loadSegment(source, sink, made, control, onCheckpoint, {}, watcher);
  EXPECT_TRUE(segment.complete);
  EXPECT_EQ(segment.rowsLoaded, 50U);
  EXPECT_EQ(watcher.causes, std::vector<std::string>{"lunch"});
}

TEST_F(PaceTest, ASlowSinkPausesTheLoadAndSaysWhy) {
  fillSource(1, 30);
  LoadRequest made = request();
  made.pace.maximumSinkLatency = std::chrono::milliseconds(1);
  made.pace.longestPause = std::chrono::seconds(0);
  sink.latency = std::chrono::milliseconds(3);
  PauseWatcher watcher;
  const Segment segment = loadSegment(source, sink, made, control, {}, {}, watcher);
  ASSERT_FALSE(watcher.causes.empty());
  EXPECT_NE(watcher.causes.front().find("the limit is 1 ms"), std::string::npos) << watcher.causes.front();
  EXPECT_TRUE(segment.closed);
  EXPECT_FALSE(segment.complete);
  EXPECT_EQ(segment.rowsLoaded, 10U);
}

TEST_F(PaceTest, AStopIsHeardDuringAPause) {
  fillSource(1, 50);
  std::stop_source stop;
  control.pause("operator");
  PauseWatcher watcher;
  watcher.onPause = [&] { stop.request_stop(); };
  EXPECT_EQ(codeOf([&] { loadSegment(source, sink, request(), control, {}, stop.get_token(), watcher); }), "cancelled");
}

TEST_F(PaceTest, ARateLimitMakesBatchesSmallEnoughToBeKept) {
  fillSource(1, 60);
  LoadRequest made = request();
  made.pace.batchRows = 1000;
  made.pace.rowsPerSecond = 80;
  const Segment segment = load(made);
  EXPECT_TRUE(segment.complete);
  EXPECT_EQ(sink.batches, (std::vector<std::size_t>{20, 20, 20}));
}

}  // namespace
}  // namespace tidemark::test
