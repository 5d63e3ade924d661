#include "engine/apply/collapse.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/memory_sink.h"

namespace tidemark {
namespace {

using test::MemorySink;

Change update(const std::string& key, std::int64_t position, Row payload) {
  return {.key = {key}, .payload = std::move(payload), .lsn = position, .position = {{position, 0, 0}}};
}
Change removal(const std::string& key, std::int64_t position) {
  return {.key = {key}, .payload = {}, .deleted = true, .lsn = position, .position = {{position, 0, 0}}};
}
Cell val(const std::string& text) {
  return Cell::of(text);
}
const Cell kLeftOut = Cell::leftOut();

TEST(Collapse, KeepsTheHighestPositionOfEachKey) {
  const std::vector<Change> batch{update("a", 10, {val("1")}), update("b", 5, {val("x")}), update("a", 30, {val("3")}),
                                  update("a", 20, {val("2")})};
  const CollapsedBatch result = collapse(batch);
  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.rows[0].payload, Row{val("3")});
  EXPECT_EQ(result.rows[1].key, Key{"b"});
  EXPECT_EQ(result.collapsed, 2U);
  EXPECT_TRUE(result.earlier.empty());
}

TEST(Collapse, KeepsTheFirstToArriveOfEqualPositions) {
  const std::vector<Change> batch{update("a", 10, {val("first")}), update("a", 10, {val("second")})};
  const CollapsedBatch result = collapse(batch);
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].payload, Row{val("first")});
  EXPECT_EQ(result.collapsed, 1U);
}

TEST(Collapse, TakesALeftOutColumnFromTheNewestEarlierPositionWhateverArrivedFirst) {
  const std::vector<Change> batch{update("a", 30, {val("new"), kLeftOut}),
                                  update("a", 20, {val("mid"), val("note-20")}),
                                  update("a", 10, {val("old"), val("note-10")})};
  MemorySink sink(PositionScheme::Lsn);
  const ApplyResult result = sink.apply(batch);
  EXPECT_EQ(sink.live({"a"})->payload, (Row{val("new"), val("note-20")}));
  EXPECT_EQ(result.counts.incomplete, 0U);
  EXPECT_EQ(result.counts.collapsed, 1U);
  EXPECT_EQ(result.counts.total(), batch.size());
}

TEST(Collapse, GathersLeftOutColumnsFromSeveralChangesWithoutCountingTheKeyIncomplete) {
  const std::vector<Change> batch{update("a", 10, {val("1"), val("b"), kLeftOut}),
                                  update("a", 20, {val("2"), kLeftOut, val("c")}),
                                  update("a", 30, {val("3"), kLeftOut, kLeftOut})};
  EXPECT_EQ(collapse(batch).earlier.size(), 2U);
  MemorySink sink(PositionScheme::Lsn);
  const ApplyResult result = sink.apply(batch);
  EXPECT_EQ(sink.live({"a"})->payload, (Row{val("3"), val("b"), val("c")}));
  EXPECT_EQ(result.counts.incomplete, 0U);
}

TEST(Collapse, DoesNotLetAnOlderCarrierOverwriteAStoredValueThatIsNewer) {
  // Seen when the change at 15 came by a load and never through the stream.
  MemorySink sink(PositionScheme::Lsn);
  sink.apply(std::vector<Change>{update("a", 15, {val("mid"), val("note-15")})});
  sink.apply(
      std::vector<Change>{update("a", 10, {val("old"), val("note-10")}), update("a", 20, {val("new"), kLeftOut})});
  EXPECT_EQ(sink.live({"a"})->payload, (Row{val("new"), val("note-15")}));
}

TEST(Collapse, CutsStoredValuesOffAtADeleteInTheBatch) {
  MemorySink sink(PositionScheme::Lsn);
  sink.apply(std::vector<Change>{update("a", 5, {val("old"), val("of the old row")})});
  const ApplyResult result = sink.apply(std::vector<Change>{removal("a", 10), update("a", 20, {val("new"), kLeftOut})});
  EXPECT_EQ(sink.live({"a"})->payload, (Row{val("new"), Cell::null()}));
  EXPECT_EQ(result.incomplete, std::vector<Key>{{"a"}});
}

TEST(Collapse, DoesNotCarryAValueOverADeleteInTheBatch) {
  MemorySink sink(PositionScheme::Lsn);
  const ApplyResult result = sink.apply(std::vector<Change>{update("a", 5, {val("old"), val("of the old row")}),
                                                            update("a", 20, {val("new"), kLeftOut}), removal("a", 10)});
  EXPECT_EQ(sink.live({"a"})->payload, (Row{val("new"), Cell::null()}));
  EXPECT_EQ(result.incomplete, std::vector<Key>{{"a"}});
}

TEST(Collapse, CountsALeftOutColumnOnAnEmptySinkAsIncomplete) {
  MemorySink sink(PositionScheme::Lsn);
  const ApplyResult result = sink.apply(std::vector<Change>{update("a", 20, {val("new"), kLeftOut})});
  EXPECT_EQ(result.counts.inserted, 1U);
  EXPECT_EQ(result.counts.incomplete, 1U);
}

TEST(Collapse, NeverHoldsAKeyTwiceInOnePass) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Change> batch;
    for (int i = 0; i < 12; ++i) {
      const std::int64_t position = std::uniform_int_distribution<>(1, 9)(random);
      const Cell cell = random() % 2 == 0 ? kLeftOut : val(std::to_string(position));
      batch.push_back(update(std::string(1, static_cast<char>('a' + random() % 3)), position, {cell, kLeftOut}));
    }
    CollapsedBatch result = collapse(batch);
    result.earlier.push_back(result.rows);
    for (const auto& pass : result.earlier) {
      std::set<Key> keys;
      for (const Change& change : pass) EXPECT_TRUE(keys.insert(change.key).second);
    }
  }
}

/// A change at a position always has the same content, as in a real log; deletes among them.
std::vector<Change> randomLog(std::mt19937& random, std::int64_t length) {
  std::vector<Change> log;
  for (std::int64_t position = 1; position <= length; ++position) {
    const std::string key(1, static_cast<char>('a' + random() % 2));
    if (random() % 5 == 0) {
      log.push_back(removal(key, position));
      continue;
    }
    Row payload;
    for (int column = 0; column < 3; ++column)
      payload.push_back(random() % 2 == 0 ? kLeftOut : val(std::to_string(position) + "." + std::to_string(column)));
    log.push_back(update(key, position, std::move(payload)));
  }
  return log;
}

TEST(Collapse, EqualsApplyingOneByOneInTheOrderOfTheLog) {
  std::mt19937 random(20261130);
  std::uint64_t passes = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto log = randomLog(random, 10);
    const auto pick = [&](std::size_t count) {
      std::vector<Change> batch;
      for (std::size_t i = 0; i < count; ++i) batch.push_back(log[random() % log.size()]);
      return batch;
    };
    const std::vector<Change> before = pick(random() % 4);
    const std::vector<Change> batch = pick(1 + random() % 12);
    MemorySink collapsed(PositionScheme::Lsn);
    MemorySink single(PositionScheme::Lsn);
    collapsed.applyOneByOne(before);
    single.applyOneByOne(before);

    const ApplyResult result = collapsed.apply(batch);
    auto inOrder = batch;
    std::stable_sort(inOrder.begin(), inOrder.end(),
                     [](const Change& a, const Change& b) { return a.position < b.position; });
    single.applyOneByOne(inOrder);

    ASSERT_EQ(collapsed.rows(), single.rows()) << "round " << round;
    ASSERT_EQ(result.counts.total(), batch.size()) << "round " << round;
    passes += collapse(batch).earlier.size();
  }
  EXPECT_GT(passes, 1000U) << "the batches must put left-out columns to the test";
}

TEST(Collapse, ListsNoKeyIncompleteThatTheBatchCompletes) {
  std::mt19937 random(42);
  for (int round = 0; round < 2000; ++round) {
    auto log = randomLog(random, 8);
    // Whole rows after every delete and at the beginning, as at a source: nothing can be incomplete then.
    std::map<Key, bool> live;
    for (Change& change : log) {
      if (!change.deleted && !live[change.key]) change.payload = {val("f0"), val("f1"), val("f2")};
      live[change.key] = !change.deleted;
    }
    std::shuffle(log.begin(), log.end(), random);
    MemorySink sink(PositionScheme::Lsn);
    ASSERT_EQ(sink.apply(log).counts.incomplete, 0U) << "round " << round;
  }
}

Change nullFirst(const std::string& key, std::int64_t lsn) {
  return {.key = {key},
          .payload = {val("null-first")},
          .firstElementNull = true,
          .lsn = lsn,
          .position = changePosition(PositionScheme::CommitLsn, std::nullopt, lsn)};
}
Change commitChange(const std::string& key, std::int64_t commit, std::int64_t lsn) {
  return {.key = {key},
          .payload = {val("ordinary")},
          .lsn = lsn,
          .position = changePosition(PositionScheme::CommitLsn, commit, lsn)};
}

TEST(Doubt, IsSettledAgainstTheStoredRow) {
  const std::vector<StoredPosition> stored{{{"a"}, {{200, 150, 0}}}};
  const std::vector<Change> batch{nullFirst("a", 160), nullFirst("b", 160)};
  const SettledBatch settled = settleDoubt(PositionScheme::CommitLsn, batch, stored);
  ASSERT_EQ(settled.doubtful.size(), 1U);
  EXPECT_EQ(settled.doubtful[0].key, Key{"a"});
  ASSERT_EQ(settled.rest.size(), 1U);
}

TEST(Doubt, IsSettledAgainstAnEarlierArrivalOfTheSameBatch) {
  const std::vector<Change> batch{commitChange("a", 200, 150), nullFirst("a", 160)};
  EXPECT_EQ(settleDoubt(PositionScheme::CommitLsn, batch, {}).doubtful.size(), 1U);
}

TEST(Doubt, IsNotHiddenByALaterChangeOfTheBatch) {
  const std::vector<StoredPosition> stored{{{"a"}, {{200, 150, 0}}}};
  const std::vector<Change> batch{nullFirst("a", 160), commitChange("a", 300, 310)};
  const SettledBatch settled = settleDoubt(PositionScheme::CommitLsn, batch, stored);
  EXPECT_EQ(settled.doubtful.size(), 1U);
  EXPECT_EQ(settled.rest.size(), 1U);
}

TEST(Doubt, IsNeverCastOnWhatWinsOrIsOlderInBothElementsOrARead) {
  const std::vector<StoredPosition> stored{{{"a"}, {{200, 150, 0}}}};
  Change read = nullFirst("a", 160);
  read.isRead = true;
  read.position = readPosition(PositionScheme::CommitLsn, std::nullopt);
  const std::vector<Change> batch{nullFirst("a", 140), read, nullFirst("a", 210)};
  const SettledBatch settled = settleDoubt(PositionScheme::CommitLsn, batch, stored);
  EXPECT_TRUE(settled.doubtful.empty());
  EXPECT_EQ(settled.rest.size(), 3U);
}

TEST(Doubt, DoesNotExistUnderTheSchemeLsn) {
  const std::vector<Change> batch{nullFirst("a", 160)};
  EXPECT_TRUE(keysThatMayBeDoubtful(PositionScheme::Lsn, batch).empty());
}

TEST(Doubt, AgreesWithApplyingOneByOne) {
  std::mt19937 random(99);
  std::uint64_t doubtful = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Change> batch;
    for (int i = 0; i < 6; ++i) {
      const std::int64_t lsn = std::uniform_int_distribution<>(1, 20)(random);
      batch.push_back(random() % 2 == 0 ? nullFirst("a", lsn)
                                        : commitChange("a", std::uniform_int_distribution<>(1, 20)(random), lsn));
    }
    MemorySink together(PositionScheme::CommitLsn);
    MemorySink single(PositionScheme::CommitLsn);
    const auto a = together.apply(batch);
    const auto b = single.applyOneByOne(batch);
    ASSERT_EQ(a.doubtful, b.doubtful) << "round " << round;
    ASSERT_EQ(together.find({"a"})->position, single.find({"a"})->position) << "round " << round;
    doubtful += a.counts.doubtful;
  }
  EXPECT_GT(doubtful, 100U);
}

TEST(ApplyCounts, AddUp) {
  ApplyCounts sum{1, 2, 3, 4, 5, 6, 7, 8};
  sum += {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(sum.inserted, 2U);
  EXPECT_EQ(sum.incomplete, 9U);
  EXPECT_EQ(sum.total(), 35U);
}

}  // namespace
}  // namespace tidemark
