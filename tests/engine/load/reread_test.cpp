#include "engine/load/reread.h"

#include "tests/engine/load/load_fixture.h"

namespace tidemark::test {
namespace {

class RereadTest : public LoadFixture {
 protected:
  RereadResult reread(const std::vector<Key>& keys) { return rereadKeys(source, sink, mapping, keys, {}, {}, {}); }
};

TEST_F(RereadTest, AppliesWhatTheSourceHoldsAndMarksWhatItLacks) {
  fillSource(1, 3, "true");
  sinkTable.set(key(1), row("wrong"), 900);
  sinkTable.set(key(5), row("ghost"), 900);
  const std::vector<Key> keys{key(5), key(3), key(1), key(3), key(10)};
  sink.noteKeysToRead(mapping, keys, "listed");
  const RereadResult result = reread(keys);

  EXPECT_EQ(result.present, 2U);
  EXPECT_EQ(result.absent, 2U);
  EXPECT_EQ(sinkTable.live(), (std::map<Key, Row, KeyOrder>{{{key(1), row("true")}, {key(3), row("true")}},
                                                            KeyOrder{mapping.keyKinds()}}));
  EXPECT_TRUE(sinkTable.rows.at(key(5)).deleted);
  EXPECT_EQ(sinkTable.rows.at(key(10)).position, result.boundary.position);
  EXPECT_TRUE(sink.keysToRead(mapping, 10).empty());
}

TEST_F(RereadTest, ManyKeysAreReadInParts) {
  fillSource(1, 2500, "true");
  const RereadResult result = reread(numbers(1, 2600));
  EXPECT_EQ(result.present, 2500U);
  EXPECT_EQ(result.absent, 100U);
  EXPECT_EQ(sinkTable.live(), sourceTable.snapshot());
}

TEST_F(RereadTest, NotesStayWhenTheCommitFailed) {
  fillSource(1, 1);
  sink.noteKeysToRead(mapping, numbers(1, 1), "listed");
  sink.failAfter = 0;
  EXPECT_EQ(codeOf([&] { reread(numbers(1, 1)); }), "sink.connection_lost");
  EXPECT_EQ(sink.keysToRead(mapping, 10), numbers(1, 1));
}

TEST_F(RereadTest, ANoteForANewerChangeStays) {
  fillSource(1, 1);
  sinkTable.notes.emplace(key(1), Position{{sourceTable.position() + 5, 0, 0}});
  reread(numbers(1, 1));
  EXPECT_EQ(sink.keysToRead(mapping, 10), numbers(1, 1));
}

TEST_F(RereadTest, NothingIsReadForNoKeys) {
  const RereadResult result = reread({});
  EXPECT_EQ(result.boundary.serverStart, "");
  EXPECT_TRUE(sink.batches.empty());
}

}  // namespace
}  // namespace tidemark::test
