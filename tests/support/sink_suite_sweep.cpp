#include "engine/core/error.h"
#include "tests/support/sink_suite.h"

// The sweep: what the preview shows is what the commit does, and the undo puts back.

namespace tidemark::test {
namespace {

Row order(const std::string& customer) {
  return {Cell::of(customer), Cell::of("1.00"), Cell::of("a note")};
}

std::vector<Key> keysOf(std::initializer_list<const char*> ids) {
  std::vector<Key> keys;
  for (const char* id : ids) keys.push_back({id});
  return keys;
}

SweepRequest requestAt(std::int64_t boundary, Scope scope = {}) {
  return {"run-1", std::move(scope), Position{{boundary, 0, 0}}};
}

/// orders with live rows 1 to 5 at 100 to 500 and a marker 6 at 50.
void fill(Sink& sink, const TableMapping& orders) {
  std::vector<Change> batch;
  for (int id = 1; id <= 5; ++id) batch.push_back(row({std::to_string(id)}, order("c" + std::to_string(id)), id * 100));
  batch.push_back(removal({"6"}, 50));
  sink.apply(orders, batch);
}

SweepPreview preview(Sink& sink, const TableMapping& mapping, const SweepRequest& request, std::vector<Key> list) {
  ListedKeys keys(std::move(list));
  NoProgress progress;
  return sink.previewSweep(mapping, request, keys, {}, progress);
}

TEST_P(SinkSuite, PreviewsLiveRowsBelowTheBoundaryThatTheListLacks) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const SweepPreview shown = preview(sink(), orders, requestAt(400), keysOf({"1", "3", "7"}));
  EXPECT_EQ(shown.ghosts, 1u) << "2 alone: 4 is at the boundary, 5 above it, 6 a marker";
  EXPECT_EQ(shown.liveInScope, 5u);
  ASSERT_EQ(shown.sample.size(), 1u);
  EXPECT_EQ(shown.sample[0].key, (Key{"2"}));
  EXPECT_EQ(shown.sample[0].payload, order("c2"));
  EXPECT_EQ(shown.sample[0].position, (Position{{200, 0, 0}}));
  EXPECT_EQ(stateOf(orders, {{"2"}}), "2:c2,1.00,a note@200") << "a preview marks nothing";
}

TEST_P(SinkSuite, CommitsWhatThePreviewShowed) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const SweepRequest request = requestAt(450);
  EXPECT_EQ(preview(sink(), orders, request, keysOf({"1"})).ghosts, 3u);
  EXPECT_FALSE(sink().sweepStatement(orders, request).empty());
  EXPECT_EQ(sink().beforeImages("run-1"), 0u);
  const SweepResult result = sink().commitSweep(orders, request, 0);
  EXPECT_EQ(result.marked, 3u);
  EXPECT_EQ(result.noLongerQualified, 0u);
  EXPECT_EQ(sink().beforeImages("run-1"), 3u);
  EXPECT_EQ(stateOf(orders, keysOf({"1", "2", "3", "4", "5", "6"})),
            "1:c1,1.00,a note@100 2:deleted@450 3:deleted@450 4:deleted@450 5:c5,1.00,a note@500 6:deleted@50");
  // Markers at the boundary: what is older stays out, what is newer comes in.
  EXPECT_EQ(print(sink().apply(orders, std::vector{row({"2"}, order("late"), 440)}).counts), "older 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{row({"2"}, order("again"), 460)}).counts), "updated 1");
}

TEST_P(SinkSuite, SweepsNothingASecondTime) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const SweepRequest request = requestAt(450);
  preview(sink(), orders, request, keysOf({"1"}));
  sink().commitSweep(orders, request, 0);
  const std::string swept = stateOf(orders, keysOf({"1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(preview(sink(), orders, request, keysOf({"1"})).ghosts, 0u);
  EXPECT_EQ(sink().commitSweep(orders, request, 0).marked, 0u);
  EXPECT_EQ(stateOf(orders, keysOf({"1", "2", "3", "4", "5", "6"})), swept);
  EXPECT_EQ(sink().beforeImages("run-1"), 3u);
}

TEST_P(SinkSuite, RollsBackASweepThatIsNotWhatWasShown) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const SweepRequest request = requestAt(450);
  EXPECT_EQ(preview(sink(), orders, request, keysOf({"1"})).ghosts, 3u);
  database().open()->apply(orders, std::vector{row({"3"}, order("changed since"), 600), removal({"4"}, 610)});
  const std::string before = stateOf(orders, keysOf({"1", "2", "3", "4", "5"}));
  EXPECT_EQ(codeOf([&] { sink().commitSweep(orders, request, 1); }), "sweep.count_changed");
  EXPECT_EQ(stateOf(orders, keysOf({"1", "2", "3", "4", "5"})), before);
  EXPECT_EQ(sink().beforeImages("run-1"), 0u);
  const SweepResult result = sink().commitSweep(orders, request, 2);
  EXPECT_EQ(result.marked, 1u);
  EXPECT_EQ(result.noLongerQualified, 2u);
  EXPECT_EQ(stateOf(orders, keysOf({"2", "3", "4"})), "2:deleted@450 3:changed since,1.00,a note@600 4:deleted@610");
}

TEST_P(SinkSuite, PutsASweepBackWhereNothingHasChangedSince) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const SweepRequest request = requestAt(450);
  preview(sink(), orders, request, keysOf({"1"}));
  sink().commitSweep(orders, request, 0);
  sink().apply(orders, std::vector{row({"3"}, order("re-created"), 700)});
  EXPECT_EQ(sink().beforeImageKeys(orders, "run-1"), keysOf({"2", "3", "4"}));
  const UndoResult undone = sink().undoSweep(orders, "run-1");
  EXPECT_EQ(sink().beforeImageKeys(orders, "run-1"), keysOf({"3"}));
  EXPECT_EQ(undone.restored, 2u);
  EXPECT_EQ(undone.changedSince, keysOf({"3"}));
  EXPECT_EQ(stateOf(orders, keysOf({"2", "3", "4"})),
            "2:c2,1.00,a note@450 3:re-created,1.00,a note@700 4:c4,1.00,a note@450");
  EXPECT_EQ(sink().undoSweep(orders, "run-1").restored, 0u);
  EXPECT_EQ(sink().undoSweep(orders, "another run").restored, 0u);
}

TEST_P(SinkSuite, SweepsEachSegmentAtItsOwnBoundary) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const SweepRequest first = requestAt(250, {{{}, KeyBound{{"3"}, true}}, {}, {}});
  const SweepRequest second = requestAt(550, {{KeyBound{{"3"}, false}, {}}, {}, {}});
  EXPECT_EQ(preview(sink(), orders, first, keysOf({"1"})).ghosts, 1u);
  EXPECT_EQ(preview(sink(), orders, second, keysOf({"4"})).ghosts, 1u);
  EXPECT_EQ(sink().commitSweep(orders, first, 0).marked, 1u);
  EXPECT_EQ(sink().commitSweep(orders, second, 0).marked, 1u);
  EXPECT_EQ(stateOf(orders, keysOf({"1", "2", "3", "4", "5"})),
            "1:c1,1.00,a note@100 2:deleted@250 3:c3,1.00,a note@300 4:c4,1.00,a note@400 5:deleted@550");
  EXPECT_EQ(sink().beforeImages("run-1"), 2u);
  EXPECT_EQ(sink().undoSweep(orders, "run-1").restored, 2u);
}

TEST_P(SinkSuite, ReplacesAnEarlierPreview) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const SweepRequest request = requestAt(450);
  EXPECT_EQ(preview(sink(), orders, request, {}).ghosts, 4u);
  EXPECT_EQ(preview(sink(), orders, request, keysOf({"1", "2", "3"})).ghosts, 1u);
  EXPECT_EQ(sink().commitSweep(orders, request, 0).marked, 1u);
  EXPECT_EQ(stateOf(orders, keysOf({"3", "4"})), "3:c3,1.00,a note@300 4:deleted@450");
}

TEST_P(SinkSuite, ShowsAtMostTwentyRows) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  std::vector<Change> batch;
  for (int id = 1; id <= 30; ++id) batch.push_back(row({std::to_string(id)}, order("c"), id));
  sink().apply(orders, batch);
  const SweepPreview shown = preview(sink(), orders, requestAt(1000), keysOf({"1", "2"}));
  EXPECT_EQ(shown.ghosts, 28u);
  EXPECT_EQ(shown.sample.size(), 20u);
}

TEST_P(SinkSuite, SweepsNothingWhenTheKeyListIsNotTheOneDescribed) {
  class ShortList final : public KeyListReader {
   public:
    bool next(Key& key) override {
      if (m_given) throw Error("keys.list_differs", "the list holds 1 key instead of 5");
      m_given = true;
      key = {"1"};
      return true;
    }

   private:
    bool m_given = false;
  };
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  const std::string before = stateOf(orders, keysOf({"1", "2", "3", "4", "5"}));
  ShortList list;
  NoProgress progress;
  EXPECT_EQ(codeOf([&] { sink().previewSweep(orders, requestAt(450), list, {}, progress); }), "keys.list_differs");
  codeOf([&] { sink().commitSweep(orders, requestAt(450), 0); });
  EXPECT_EQ(stateOf(orders, keysOf({"1", "2", "3", "4", "5"})), before);
}

TEST_P(SinkSuite, SweepsCompositeKeysWithTextThatWantsEscaping) {
  const TableMapping lines = linesMapping();
  createTable(lines);
  const std::vector<Key> stored{{"1", ""}, {"1", "a\tb"}, {"1", "a\\b"}, {"1", "ä"}, {"2", "x"}};
  std::vector<Change> batch;
  for (const Key& key : stored) batch.push_back(row(key, {Cell::of("3")}, 100));
  sink().apply(lines, batch);
  EXPECT_EQ(preview(sink(), lines, requestAt(200), {stored[0], stored[2], stored[4]}).ghosts, 2u);
  EXPECT_EQ(sink().commitSweep(lines, requestAt(200), 0).marked, 2u);
  EXPECT_EQ(sink().countLive(lines, {}), 3u);
  const std::vector<Key> swept{stored[1], stored[3]};
  for (const StoredRow& marker : sink().readKeys(lines, swept)) EXPECT_TRUE(marker.deleted) << displayKey(marker.key);
  EXPECT_EQ(sink().undoSweep(lines, "run-1").restored, 2u);
  EXPECT_EQ(sink().countLive(lines, {}), 5u);
}

TEST_P(SinkSuite, SweepsAndPutsBackAKeyThatIsTheEmptyText) {
  TableMapping orders = ordersMapping();
  orders.key[0].type.kind = ColumnKind::Text;
  createTable(orders);
  sink().apply(orders, std::vector{row({""}, order("nobody"), 100), row({"a"}, order("ann"), 100)});
  EXPECT_EQ(preview(sink(), orders, requestAt(200), keysOf({"a"})).ghosts, 1u);
  EXPECT_EQ(sink().commitSweep(orders, requestAt(200), 0).marked, 1u);
  const std::vector<Key> empty{{""}};
  EXPECT_TRUE(sink().readKeys(orders, empty).at(0).deleted);
  EXPECT_EQ(sink().undoSweep(orders, "run-1").restored, 1u);
  EXPECT_FALSE(sink().readKeys(orders, empty).at(0).deleted);
}

TEST_P(SinkSuite, SweepsUnderTwoPositionColumnsAndWritesFillers) {
  TableMapping orders = ordersMapping(PositionScheme::CommitLsn);
  orders.fillers["customer"] = "(none)";
  createTable(orders);
  sink().apply(orders, std::vector{pairRow({"1"}, order("a"), 200, 100), pairRow({"2"}, order("b"), 300, 250)});
  const SweepRequest request{"run-1", {}, Position{{300, 299, 0}}};
  EXPECT_EQ(preview(sink(), orders, request, keysOf({"1"})).ghosts, 1u);
  EXPECT_EQ(sink().commitSweep(orders, request, 0).marked, 1u);
  EXPECT_EQ(stateOf(orders, keysOf({"2"})), "2:deleted(2:(none),NULL,NULL)@300/299");
  EXPECT_EQ(sink().undoSweep(orders, "run-1").restored, 1u);
  EXPECT_EQ(stateOf(orders, keysOf({"2"})), "2:b,1.00,a note@300/299");
}

TEST_P(SinkSuite, StopsAPreviewOnRequest) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  std::stop_source stop;
  stop.request_stop();
  ListedKeys keys({});
  NoProgress progress;
  EXPECT_THROW(sink().previewSweep(orders, requestAt(450), keys, stop.get_token(), progress), Cancelled);
  EXPECT_EQ(sink().countLive(orders, {}), 5u);
}

TEST_P(SinkSuite, ForgetsARun) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  fill(sink(), orders);
  preview(sink(), orders, requestAt(450), keysOf({"1"}));
  sink().commitSweep(orders, requestAt(450), 0);
  sink().forgetRun("another run");
  EXPECT_EQ(sink().beforeImages("run-1"), 3u);
  sink().forgetRun("run-1");
  EXPECT_EQ(sink().beforeImages("run-1"), 0u);
  EXPECT_EQ(sink().undoSweep(orders, "run-1").restored, 0u);
}

}  // namespace
}  // namespace tidemark::test
