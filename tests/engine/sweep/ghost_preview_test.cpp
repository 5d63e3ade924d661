#include "engine/sweep/ghost_preview.h"

#include <gtest/gtest.h>

#include "tests/support/fake_database.h"

namespace tidemark::test {
namespace {

constexpr std::int64_t kOld = 10;

/// 300 rows on both sides, older than any boundary; three of them are unknown to the source.
class Preview : public testing::Test {
 protected:
  Preview() {
    for (int n = 1; n <= 300; ++n) {
      const Key key{std::to_string(n)};
      if (n % 100 != 0) sourceTable.put(key, {Cell::of("row")});
      sinkTable.set(key, {Cell::of("row")}, kOld);
    }
  }
  GhostPreview look(const std::function<void()>& beforeSink = {}) {
    NoProgress progress;
    return previewGhosts(source, sink, mapping, {}, {}, nullptr, {}, progress, beforeSink);
  }

  const TableMapping mapping = fakeMapping({ColumnKind::BigInt});
  FakeSourceTable sourceTable{mapping};
  FakeSinkTable sinkTable{mapping};
  /// The preview wants keys alone and says so with a filter that no row satisfies.
  FakeSource source{sourceTable, [](const Key&, const Row&) { return false; }};
  FakeSink sink{sinkTable};
};

TEST_F(Preview, NamesExactlyTheRowsThatTheSourceLacks) {
  const GhostPreview preview = look();
  EXPECT_EQ(preview.ghosts, 3u);
  EXPECT_EQ(preview.sourceKeys, 297u);
  EXPECT_EQ(preview.liveInScope, 300u);
  ASSERT_EQ(preview.sample.size(), 3u);
  EXPECT_EQ(preview.sample.front().key, Key{"100"});
}

TEST_F(Preview, LeavesOutARowWhoseDeleteTheStreamBringsBeforeTheSinkIsRead) {
  const GhostPreview preview = look([&] { sinkTable.setMarker({"200"}, 1000000); });
  EXPECT_EQ(preview.ghosts, 2u);
  for (const StoredRow& row : preview.sample) EXPECT_NE(row.key, Key{"200"});
}

TEST_F(Preview, LeavesRowsAboveTheBoundaryAlone) {
  sinkTable.set({"301"}, {Cell::of("newer")}, 1000000);
  EXPECT_EQ(look().ghosts, 3u);
}

}  // namespace
}  // namespace tidemark::test
