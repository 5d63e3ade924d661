#include "engine/verify/verify.h"

#include <cstdio>
#include <set>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "tests/support/fake_database.h"

namespace tidemark::test {
namespace {

constexpr std::int64_t kBoundary = 5000;

/// Key number `n` of a table with these key columns: distinct, and not in the order of n for text.
Key keyOf(const std::vector<ColumnKind>& kinds, int n) {
  Key key;
  for (const ColumnKind kind : kinds) {
    char text[64];
    switch (kind) {
      case ColumnKind::Uuid:
        std::snprintf(text, sizeof text, "%08x-0000-4000-8000-%012x", static_cast<unsigned>(n) * 2654435761U,
                      static_cast<unsigned>(n));
        break;
      case ColumnKind::Text:
        std::snprintf(text, sizeof text, "%s-%d", n % 2 == 0 ? "Zoë" : "anna", n);
        break;
      default:
        std::snprintf(text, sizeof text, "%d", kinds.size() > 1 ? n / 7 - 20 : n - 100);
    }
    key.emplace_back(text);
  }
  return key;
}

/// Two sides with 400 equal rows, stamped above the boundary.
class Sides {
 public:
  explicit Sides(const std::vector<ColumnKind>& kinds)
      : mapping(fakeMapping(kinds, 2)), sourceTable(mapping), sinkTable(mapping), m_kinds(kinds) {
    for (int n = 1; n <= 400; ++n) {
      sourceTable.put(key(n), row("row " + std::to_string(n)));
      sinkTable.set(key(n), row("row " + std::to_string(n)), kBoundary);
    }
    options.boundary = Position{{kBoundary, 0, 0}};
    options.rowsPerBucket = 37;
  }

  Key key(int n) const { return keyOf(m_kinds, n); }
  static Row row(const std::string& text) { return {Cell::of(text), Cell::null()}; }

  VerifyReport verify(std::stop_token stop = {}) {
    NoProgress progress;
    return tidemark::verify(source, sink, mapping, scope, options, stop, progress);
  }

  void offerDigests() { source.methods = sink.methods = {{"fake:row_hash"}}; }

  TableMapping mapping;
  FakeSourceTable sourceTable;
  FakeSinkTable sinkTable;
  FakeSource source{sourceTable};
  FakeSink sink{sinkTable};
  Scope scope;
  VerifyOptions options;

 private:
  std::vector<ColumnKind> m_kinds;
};

std::set<Key> keysOf(const VerifyReport& report, DifferenceKind kind) {
  std::set<Key> keys;
  for (const Difference& difference : report.differences) {
    if (difference.kind == kind) keys.insert(difference.key);
  }
  return keys;
}

const Difference& differenceOf(const VerifyReport& report, const Key& key) {
  for (const Difference& difference : report.differences) {
    if (difference.key == key) return difference;
  }
  throw std::runtime_error("no difference for key " + displayKey(key));
}

struct Variant {
  const char* name;
  std::vector<ColumnKind> kinds;
  bool digests;
};

class VerifyEveryKey : public testing::TestWithParam<Variant> {
 protected:
  VerifyEveryKey() : sides(GetParam().kinds) {
    if (GetParam().digests) sides.offerDigests();
  }
  Sides sides;
};

TEST_P(VerifyEveryKey, EqualSidesHaveNoDifference) {
  const VerifyReport report = sides.verify();
  EXPECT_EQ(report.method, GetParam().digests ? "fake:row_hash" : "stream");
  EXPECT_EQ(report.differingFirstPass, 0U);
  EXPECT_EQ(report.toRepair(), 0U);
  EXPECT_TRUE(report.differences.empty());
  EXPECT_EQ(report.sourceRows, 400U);
  EXPECT_EQ(report.sinkLiveRows, 400U);
  EXPECT_EQ(report.sourceDigest, report.sinkDigest);
  EXPECT_EQ(report.suspects, 0U);
  EXPECT_GE(report.buckets.size(), 10U);
}

TEST_P(VerifyEveryKey, FindsExactlyTheSeededDifferencesAndNamesThem) {
  sides.sinkTable.lose(sides.key(3));
  sides.sinkTable.setMarker(sides.key(200), 4321);
  sides.sinkTable.set(sides.key(1000), Sides::row("ghost"), 4000);
  sides.sinkTable.set(sides.key(2000), Sides::row("ghost"), kBoundary + 1);
  sides.sinkTable.set(sides.key(77), Sides::row("old"), 4000);
  sides.sinkTable.set(sides.key(78), {Cell::of("row 78"), Cell::of("")}, kBoundary);
  sides.sinkTable.setMarker(sides.key(3000), 4000);
  const VerifyReport report = sides.verify();

  EXPECT_EQ(keysOf(report, DifferenceKind::Missing), (std::set<Key>{sides.key(3), sides.key(200)}));
  EXPECT_EQ(keysOf(report, DifferenceKind::Ghost), (std::set<Key>{sides.key(1000), sides.key(2000)}));
  EXPECT_EQ(keysOf(report, DifferenceKind::Stale), std::set<Key>{sides.key(77)});
  EXPECT_EQ(keysOf(report, DifferenceKind::DifferentAtSamePosition), std::set<Key>{sides.key(78)});
  EXPECT_EQ(report.differences.size(), 6U);
  EXPECT_EQ(report.differingFirstPass, 6U);
  EXPECT_EQ(report.missing, 2U);
  EXPECT_EQ(report.ghosts, 2U);
  EXPECT_EQ(report.stale, 1U);
  EXPECT_EQ(report.differentAtSamePosition, 1U);
  EXPECT_EQ(report.inFlight, 0U);
  EXPECT_EQ(report.countedOnce, 0U);
  EXPECT_EQ(report.suspects, 2U);
  EXPECT_NE(report.sourceDigest, report.sinkDigest);

  EXPECT_EQ(differenceOf(report, sides.key(3)).sinkPosition, std::nullopt);
  EXPECT_TRUE(differenceOf(report, sides.key(200)).sinkHasMarker);
  EXPECT_EQ(differenceOf(report, sides.key(200)).sinkPosition, (Position{{4321, 0, 0}}));
  EXPECT_EQ(differenceOf(report, sides.key(77)).columns, std::vector<std::string>{"v1"});
  EXPECT_EQ(differenceOf(report, sides.key(78)).columns, std::vector<std::string>{"v2"});
  const KeyOrder order{sides.mapping.keyKinds()};
  for (std::size_t i = 1; i < report.differences.size(); ++i) {
    EXPECT_TRUE(order(report.differences[i - 1].key, report.differences[i].key));
  }
}

TEST_P(VerifyEveryKey, KeysThatChangeBetweenThePassesAreInFlight) {
  sides.sinkTable.set(sides.key(10), Sides::row("old"), 4000);
  sides.sinkTable.set(sides.key(11), Sides::row("old"), 4000);
  sides.sinkTable.set(sides.key(12), Sides::row("old"), 4000);
  sides.sinkTable.lose(sides.key(13));
  sides.sinkTable.set(sides.key(1000), Sides::row("ghost"), 4000);
  sides.options.betweenPasses = [&] {
    sides.sourceTable.put(sides.key(10), Sides::row("newer at the source"));
    sides.sinkTable.set(sides.key(11), Sides::row("newer, still not the newest"), 4500);
    sides.sinkTable.set(sides.key(12), Sides::row("row 12"), kBoundary);
    sides.sinkTable.setMarker(sides.key(1000), kBoundary + 1);
  };
  const VerifyReport report = sides.verify();
  EXPECT_EQ(keysOf(report, DifferenceKind::InFlight), (std::set<Key>{sides.key(10), sides.key(11)}));
  EXPECT_EQ(keysOf(report, DifferenceKind::Missing), std::set<Key>{sides.key(13)});
  EXPECT_EQ(report.differences.size(), 3U) << "12 and 1000 have converged";
  EXPECT_EQ(report.differingFirstPass, 5U);
  EXPECT_EQ(report.inFlight, 2U);
  EXPECT_EQ(report.toRepair(), 1U);
}

TEST_P(VerifyEveryKey, MoreDifferencesThanAreKeptAreCounted) {
  for (int n = 1; n <= 400; n += 2) sides.sinkTable.lose(sides.key(n));
  sides.options.differencesKept = 30;
  const VerifyReport report = sides.verify();
  EXPECT_EQ(report.missing, 200U);
  EXPECT_EQ(report.differingFirstPass, 200U);
  EXPECT_EQ(report.countedOnce, 170U);
  ASSERT_EQ(report.differences.size(), 30U);

  std::set<Key, KeyOrder> all(KeyOrder{sides.mapping.keyKinds()});
  for (int n = 1; n <= 400; n += 2) all.insert(sides.key(n));
  auto lowest = all.begin();
  for (const Difference& difference : report.differences) EXPECT_EQ(difference.key, *lowest++);
}

INSTANTIATE_TEST_SUITE_P(Keys, VerifyEveryKey,
                         testing::Values(Variant{"IntegerStreamed", {ColumnKind::BigInt}, false},
                                         Variant{"IntegerByDigest", {ColumnKind::BigInt}, true},
                                         Variant{"TextStreamed", {ColumnKind::Text}, false},
                                         Variant{"TextByDigest", {ColumnKind::Text}, true},
                                         Variant{"UuidStreamed", {ColumnKind::Uuid}, false},
                                         Variant{"UuidByDigest", {ColumnKind::Uuid}, true},
                                         Variant{"CompositeStreamed", {ColumnKind::Integer, ColumnKind::Text}, false},
                                         Variant{"CompositeByDigest", {ColumnKind::Integer, ColumnKind::Text}, true}),
                         [](const testing::TestParamInfo<Variant>& variant) {
                           return std::string(variant.param.name);
                         });

class VerifyTest : public testing::Test {
 protected:
  Sides sides{{ColumnKind::BigInt}};
};

TEST_F(VerifyTest, DigestsNeedTheSameMethodOnBothSidesAndToBeAllowed) {
  sides.source.methods = {{"postgresql:hash"}, {"shared"}};
  sides.sink.methods = {{"sqlite:hash"}, {"shared"}};
  EXPECT_EQ(sides.verify().method, "shared");
  sides.sink.methods = {{"sqlite:hash"}};
  EXPECT_EQ(sides.verify().method, "stream");
  sides.offerDigests();
  sides.options.allowServerDigests = false;
  EXPECT_EQ(sides.verify().method, "stream");
}

TEST_F(VerifyTest, WithoutABoundaryEveryContentDifferenceIsStale) {
  sides.sinkTable.set(sides.key(5), Sides::row("other"), kBoundary + 100);
  sides.options.boundary.reset();
  const VerifyReport report = sides.verify();
  EXPECT_EQ(report.stale, 1U);
  EXPECT_EQ(report.suspects, 0U);
}

TEST_F(VerifyTest, OnlyTheRangeIsCompared) {
  sides.sinkTable.lose(sides.key(10));
  sides.sinkTable.lose(sides.key(300));
  sides.scope.range.from = KeyBound{sides.key(100), true};
  sides.scope.range.to = KeyBound{sides.key(300), false};
  const VerifyReport report = sides.verify();
  EXPECT_EQ(report.sourceRows, 200U);
  EXPECT_EQ(report.differingFirstPass, 0U);
}

TEST_F(VerifyTest, SpotKeysAreComparedWhateverTheBucketsSay) {
  sides.sinkTable.set(sides.key(5), Sides::row("other"), kBoundary);
  sides.scope.range.from = KeyBound{sides.key(100), true};
  sides.options.spotKeys = {sides.key(5), sides.key(6), sides.key(999), sides.key(6)};
  const VerifyReport report = sides.verify();
  EXPECT_EQ(report.differingFirstPass, 0U);
  EXPECT_EQ(report.spotKeysEqual, 2U);
  EXPECT_EQ(report.spotKeysDifferent, 1U);
}

TEST_F(VerifyTest, ASideThatBreaksTheOrderOfKeysIsRefused) {
  sides.source.descending = true;
  try {
    sides.verify();
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "verify.key_order");
  }
}

TEST_F(VerifyTest, AStopEndsBetweenThePasses) {
  std::stop_source stop;
  sides.options.betweenPasses = [&] { stop.request_stop(); };
  EXPECT_THROW(sides.verify(stop.get_token()), Cancelled);
}

TEST_F(VerifyTest, EmptySidesAreEqual) {
  FakeSourceTable noRows(sides.mapping);
  FakeSinkTable noSinkRows(sides.mapping);
  FakeSource source(noRows);
  FakeSink sink(noSinkRows);
  NoProgress progress;
  const VerifyReport report = verify(source, sink, sides.mapping, {}, sides.options, {}, progress);
  EXPECT_EQ(report.differingFirstPass, 0U);
  EXPECT_EQ(report.sourceDigest, report.sinkDigest);
}

/// Scope: rows whose first column does not begin with "shut".
class VerifyFiltered : public testing::Test {
 protected:
  VerifyFiltered() {
    for (int n = 1; n <= 400; n += 4) {
      sides.sourceTable.put(sides.key(n), Sides::row("shut"));
      sides.sinkTable.set(sides.key(n), Sides::row("shut"), 4000);
    }
    sides.scope.filter = "status <> 'shut'";
  }

  VerifyReport verify(const std::string& sinkFilter) {
    const FakeFilter filter = [](const Key&, const Row& payload) { return !payload.at(0).text.starts_with("shut"); };
    FakeSource source(sides.sourceTable, filter);
    FakeSink sink(sides.sinkTable, filter);
    sides.scope.sinkFilter = sinkFilter;
    NoProgress progress;
    return tidemark::verify(source, sink, sides.mapping, sides.scope, sides.options, {}, progress);
  }

  Sides sides{{ColumnKind::BigInt}};
};

TEST_F(VerifyFiltered, ARowThatLeftTheFilterIsStaleAndNoGhost) {
  sides.sourceTable.put(sides.key(2), Sides::row("shut since"));
  const VerifyReport report = verify("status <> 'shut'");
  EXPECT_EQ(keysOf(report, DifferenceKind::DifferentAtSamePosition), std::set<Key>{sides.key(2)});
  EXPECT_EQ(report.ghosts, 0U);
  EXPECT_EQ(report.sinkLiveRows, 300U);
}

TEST_F(VerifyFiltered, AFilterThatOnlyTheSourceKnowsMakesNoGhostsOfRowsOutsideIt) {
  sides.sinkTable.lose(sides.key(1));  // Outside the filter: nobody asked for it.
  sides.sinkTable.lose(sides.key(2));
  sides.sinkTable.set(sides.key(900), Sides::row("ghost"), 4000);
  sides.sourceTable.put(sides.key(7), Sides::row("shut since"));
  const VerifyReport report = verify("");
  EXPECT_EQ(report.method, "stream");
  EXPECT_EQ(keysOf(report, DifferenceKind::Missing), std::set<Key>{sides.key(2)});
  EXPECT_EQ(keysOf(report, DifferenceKind::Ghost), std::set<Key>{sides.key(900)});
  EXPECT_EQ(keysOf(report, DifferenceKind::DifferentAtSamePosition), std::set<Key>{sides.key(7)});
  EXPECT_EQ(report.differences.size(), 3U);
}

}  // namespace
}  // namespace tidemark::test
