#include "tests/engine/load/load_fixture.h"

namespace tidemark::test {
namespace {

class KeyCountTest : public LoadFixture {
 protected:
  /// A segment over 1 … 20 that a crash left without a count of its snapshot, with a list that lacks `lacking`.
  Segment interrupted(const LoadRequest& made, std::optional<std::int64_t> lacking) {
    Segment segment;
    segment.boundary = made.boundary;
    segment.range.to = KeyBound{key(20), true};
    KeyListWriter writer(made.keyFile);
    for (std::int64_t number = 1; number <= 20; ++number) {
      if (number != lacking) writer.add(key(number));
    }
    segment.keys = writer.checkpoint();
    writer.close();
    return segment;
  }

  std::string check(const LoadRequest& made, const Segment& segment) {
    return codeOf([&] { checkKeyCount(source, sink, mapping, segment, made.keyFile, {}); });
  }
};

TEST_F(KeyCountTest, ACompleteListPassesWhateverOthersWrite) {
  fillSource(1, 30);
  const LoadRequest made = request();
  const Segment segment = load(made);
  sourceTable.put(key(31), row("later"));
  sourceTable.remove(key(1));
  sourceTable.remove(key(2));
  EXPECT_EQ(check(made, segment), "nothing thrown");
}

TEST_F(KeyCountTest, AListThatIsShortByOneIsRefused) {
  fillSource(1, 30);
  const LoadRequest made = request();
  Segment segment = load(made);
  segment.keys.summary.count = 29;
  EXPECT_EQ(check(made, segment), "keys.count_differs");
}

TEST_F(KeyCountTest, WithoutACountTheUnchangedTableIsCounted) {
  fillSource(1, 20);
  LoadRequest made = request();
  EXPECT_EQ(check(made, interrupted(made, std::nullopt)), "nothing thrown");
  EXPECT_EQ(check(made, interrupted(made, 7)), "keys.count_differs");
}

TEST_F(KeyCountTest, WithoutACountAChangedTableIsHeldAgainstTheSinkKeyByKey) {
  fillSource(1, 20);
  LoadRequest made = request();
  for (std::int64_t number = 1; number <= 20; ++number) sinkTable.set(key(number), row("old"), 1000 + number);
  deliver(sourceTable.remove(key(9)));
  deliver(sourceTable.put(key(0), row("inserted since")));
  EXPECT_EQ(check(made, interrupted(made, std::nullopt)), "nothing thrown");
  // Short by one while one row went and one came: the two counts are equal, and yet the list would delete key 7.
  EXPECT_EQ(source.countKeys(mapping, {}), 20U);
  EXPECT_EQ(check(made, interrupted(made, 7)), "keys.count_differs");
}

}  // namespace
}  // namespace tidemark::test
