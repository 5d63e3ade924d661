#include "engine/verify/row_hash.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(RowHash, TellsNullFromEmptyAndLeftOut) {
  const std::set<std::uint64_t> hashes{rowHash({"1"}, {Cell::null()}), rowHash({"1"}, {Cell::of("")}),
                                       rowHash({"1"}, {Cell::leftOut()}), rowHash({"1"}, {})};
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(RowHash, NeverJoinsNeighbouringColumns) {
  const std::set<std::uint64_t> hashes{
      rowHash({"1"}, {Cell::of("a"), Cell::of("bc")}), rowHash({"1"}, {Cell::of("ab"), Cell::of("c")}),
      rowHash({"1"}, {Cell::of("abc"), Cell::of("")}), rowHash({"1", "abc"}, {Cell::of("")}),
      rowHash({"1a"}, {Cell::of("bc"), Cell::of("")}), rowHash({"1"}, {Cell::of("abc")})};
  EXPECT_EQ(hashes.size(), 6U);
}

TEST(RowHash, EveryByteCounts) {
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::string text(length, 'x');
    std::set<std::uint64_t> hashes{rowHash({"1"}, {Cell::of(text)})};
    for (std::size_t i = 0; i < length; ++i) {
      std::string changed = text;
      changed[i] = 'y';
      hashes.insert(rowHash({"1"}, {Cell::of(changed)}));
    }
    hashes.insert(rowHash({"1"}, {Cell::of(text + std::string(1, '\0'))}));
    EXPECT_EQ(hashes.size(), length + 2) << length;
  }
}

TEST(RowHash, AMillionRowsDoNotCollide) {
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 1'000'000; ++i) hashes.push_back(rowHash({std::to_string(i)}, {Cell::of("note")}));
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

TEST(RowHash, IsTheSameInEveryBuild) {
  // Digests stand in reports: a hash that changed between versions would make two of them incomparable.
  EXPECT_EQ(rowHash({"1", "ann"}, {Cell::of("twenty characters ok"), Cell::null()}), 0x85705e20c362a74dU);
}

TEST(RangeDigest, PairsThatCancelInTheXorAreStillCounted) {
  RangeDigest one;
  addRow(one, 7);
  addRow(one, 7);
  addRow(one, 9);
  addRow(one, 9);
  RangeDigest two;
  for (int i = 0; i < 4; ++i) addRow(two, 7);
  EXPECT_EQ(one.exclusiveOr, two.exclusiveOr);
  EXPECT_FALSE(one.sameContent(two));
}

TEST(RangeDigest, TextNamesAllThreeNumbers) {
  RangeDigest digest;
  addRow(digest, 0xabcd);
  EXPECT_EQ(digestText(digest), "0000000000000001000000000000abcd000000000000abcd");
}

}  // namespace
}  // namespace tidemark
