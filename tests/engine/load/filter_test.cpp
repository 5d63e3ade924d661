#include "tests/engine/load/load_fixture.h"

namespace tidemark::test {
namespace {

/// A filter on a column that changes: open orders only.
class FilterTest : public LoadFixture {
 protected:
  FilterTest() {
    sourceFiltered.emplace(sourceTable, isOpen);
    sinkFiltered.emplace(sinkTable, isOpen);
  }

  static bool isOpen(const Key&, const Row& payload) { return payload.at(0).text.starts_with("open"); }

  LoadRequest filteredRequest(const std::string& sinkFilter) {
    LoadRequest made = request();
    made.scope.filter = "status = 'open'";
    made.scope.sinkFilter = sinkFilter;
    return made;
  }

  Segment loadFiltered(const LoadRequest& made) {
    NoProgress progress;
    return loadSegment(
        *sourceFiltered, *sinkFiltered, made, control,
        [this](const Segment& segment) { checkpoints.push_back(segment); }, {}, progress);
  }

  std::optional<FakeSource> sourceFiltered;
  std::optional<FakeSink> sinkFiltered;
};

TEST_F(FilterTest, LoadsOnlyTheFilterButListsEveryKey) {
  for (int number = 1; number <= 60; ++number) sourceTable.put(key(number), row(number % 3 == 0 ? "open" : "shut"));
  const LoadRequest made = filteredRequest("status = 'open'");
  const Segment segment = loadFiltered(made);
  EXPECT_EQ(segment.rowsRead, 60U);
  EXPECT_EQ(segment.rowsLoaded, 20U);
  EXPECT_EQ(sinkTable.live().size(), 20U);
  EXPECT_EQ(keysOf(made, segment), numbers(1, 60));
  EXPECT_EQ(segment.keysAtSource, 60U);
}

TEST_F(FilterTest, RowsThatLeftTheFilterAreLoadedAndNotTakenForGhosts) {
  for (int number = 1; number <= 40; ++number) {
    const Change change = sourceTable.put(key(number), row("open"));
    deliver(change);
  }
  // The sink lost these changes: 25 rows have left the filter, and one is gone.
  for (int number = 1; number <= 25; ++number) sourceTable.put(key(number), row("shut"));
  sourceTable.remove(key(40));
  const LoadRequest made = filteredRequest("status = 'open'");
  const Segment segment = loadFiltered(made);

  for (int number = 1; number <= 25; ++number) {
    const StoredRow& stored = sinkTable.rows.at(key(number));
    EXPECT_EQ(stored.payload, row("shut")) << number;
    EXPECT_EQ(stored.position, made.boundary.position) << number;
    EXPECT_FALSE(stored.deleted);
  }
  EXPECT_EQ(segment.rowsLoaded, 39U);
  // What is left below the boundary is exactly what a sweep may mark.
  EXPECT_EQ(sinkTable.rows.at(key(40)).payload, row("open"));
  EXPECT_LT(sinkTable.rows.at(key(40)).position, made.boundary.position);
}

TEST_F(FilterTest, AFilterThatOnlyTheSourceKnowsLeavesNoStaleRowInTheRange) {
  for (int number = 1; number <= 10; ++number) deliver(sourceTable.put(key(number), row("shut old")));
  sourceTable.put(key(4), row("shut new"));
  const LoadRequest made = filteredRequest("");
  loadFiltered(made);
  EXPECT_EQ(sinkTable.live(), sourceTable.snapshot());
}

TEST_F(FilterTest, ClosingAnInterruptedSegmentLoadsWhatLeftTheFilter) {
  for (int number = 1; number <= 40; ++number) deliver(sourceTable.put(key(number), row("open")));
  sourceTable.put(key(3), row("shut"));
  sourceTable.put(key(39), row("shut"));
  const LoadRequest made = filteredRequest("status = 'open'");
  sinkFiltered->failAfter = 2;
  EXPECT_EQ(codeOf([&] { loadFiltered(made); }), "sink.connection_lost");
  sinkFiltered->failAfter.reset();
  NoProgress progress;
  closeInterruptedSegment(*sourceFiltered, *sinkFiltered, made, checkpoints.back(), {}, progress);
  EXPECT_EQ(sinkTable.rows.at(key(3)).payload, row("shut"));
  EXPECT_EQ(sinkTable.rows.at(key(39)).payload, row("open")) << "belongs to the next segment";
}

}  // namespace
}  // namespace tidemark::test
