#include "engine/position/position.h"

#include <limits>

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace tidemark {
namespace {

/// The code that a call is refused with; "not refused" otherwise.
template <typename Call>
std::string codeOf(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
    EXPECT_NE(error.detail().hint, "");
    return error.code();
  }
  return "not refused";
}

TEST(Lsn, IsReadAndPrinted) {
  EXPECT_EQ(parseLsn("16/B374D848"), 97500059720);
  EXPECT_EQ(formatLsn(97500059720), "16/B374D848");
  EXPECT_EQ(parseLsn("0/0"), 0);
  EXPECT_EQ(parseLsn("0/28cc400"), 42779648);
  EXPECT_EQ(formatLsn(42779648), "0/28CC400");
  EXPECT_EQ(parseLsn("7FFFFFFF/FFFFFFFF"), std::numeric_limits<std::int64_t>::max());
}

TEST(Lsn, ComesBackTheSame) {
  for (const std::int64_t lsn :
       {std::int64_t{1}, std::int64_t{0xFFFFFFFF}, std::int64_t{1} << 32, std::int64_t{1} << 62})
    EXPECT_EQ(parseLsn(formatLsn(lsn)), lsn);
}

TEST(Lsn, IsRefusedWhenItIsNone) {
  for (const char* text : {"", "16", "16/", "/1", "16/B374D848/1", "G/1", "-1/1", "1/-1", "123456789/1", "1/123456789",
                           " 1/1", "80000000/0", "FFFFFFFF/FFFFFFFF"})
    EXPECT_EQ(codeOf([&] { parseLsn(text); }), "position.lsn") << text;
}

TEST(SequenceText, HoldsTwoNumbersAsTextTheFirstMayBeNull) {
  EXPECT_EQ(parseSequence("[\"27734304\",\"27734416\"]").lastCommit, 27734304);
  EXPECT_EQ(parseSequence("[\"27734304\",\"27734416\"]").lsn, 27734416);
  EXPECT_EQ(parseSequence("[null,\"27719416\"]").lastCommit, std::nullopt);
  EXPECT_EQ(parseSequence(" [ null , \"5\" ] ").lsn, 5);
  EXPECT_EQ(parseSequence("[null,\"9223372036854775807\"]").lsn, std::numeric_limits<std::int64_t>::max());
}

TEST(SequenceText, IsRefusedWhenItIsNone) {
  for (const char* text : {"", "[]", "[null]", "[\"1\",null]", "[\"1\",\"2\",\"3\"]", "[\"a\",\"2\"]", "[\"-1\",\"2\"]",
                           "[null,\"9223372036854775808\"]", "1,2", "[\"1\",\"2\""})
    EXPECT_EQ(codeOf([&] { parseSequence(text); }), "position.sequence") << text;
}

TEST(Binlog, IsOneSortableNumber) {
  const auto position = parseBinlog("mysql-bin.000042:1234");
  EXPECT_EQ(position, (std::int64_t{42} << 40) + 1234);
  EXPECT_EQ(formatBinlog(position, "mysql-bin"), "mysql-bin.000042:1234");
  EXPECT_LT(parseBinlog("mysql-bin.000042:999999999"), parseBinlog("mysql-bin.000043:4"));
  EXPECT_LT(parseBinlog("b.999999:4"), parseBinlog("b.1000000:4"));
}

TEST(Binlog, IsRefusedWhenItIsNone) {
  for (const char* text : {"", "mysql-bin.000042", "mysql-bin:4", "mysql-bin.x:4", "mysql-bin.1:y",
                           "mysql-bin.1:1099511627776", "mysql-bin.8388608:4"})
    EXPECT_EQ(codeOf([&] { parseBinlog(text); }), "position.binlog") << text;
}

TEST(Scheme, HasANameEachWay) {
  for (const auto scheme :
       {PositionScheme::Lsn, PositionScheme::CommitLsn, PositionScheme::Binlog, PositionScheme::Scn})
    EXPECT_EQ(parseScheme(schemeName(scheme)), scheme);
  EXPECT_EQ(codeOf([] { parseScheme("timestamp"); }), "profile.position_scheme");
}

TEST(Scheme, PositionsChangesReadsAndBoundariesAsTheLawSays) {
  using enum PositionScheme;
  EXPECT_EQ(changePosition(Lsn, 20, 10), (Position{{10, 0, 0}}));
  EXPECT_EQ(changePosition(CommitLsn, 20, 10), (Position{{20, 10, 0}}));
  EXPECT_EQ(changePosition(CommitLsn, 10, 20), (Position{{20, 20, 0}}));
  EXPECT_EQ(changePosition(CommitLsn, std::nullopt, 20), (Position{{20, 20, 0}}));
  EXPECT_EQ(readPosition(Lsn, 20), kNoPosition);
  EXPECT_EQ(readPosition(CommitLsn, 20), (Position{{20, 0, 0}}));
  EXPECT_EQ(readPosition(CommitLsn, std::nullopt), (Position{{0, 0, 0}}));
  EXPECT_EQ(boundaryPosition(Lsn, 100), (Position{{99, 0, 0}}));
  EXPECT_EQ(boundaryPosition(CommitLsn, 100), (Position{{100, 99, 0}}));
}

TEST(Scheme, PutsARecordedStraddlerAboveTheReadThatMissedIt) {
  // Read at 27818392, its change streamed afterwards at 27818104; then the blocking snapshot's pair.
  const auto scheme = PositionScheme::CommitLsn;
  EXPECT_LT(readPosition(scheme, std::nullopt), changePosition(scheme, std::nullopt, 27818104));
  EXPECT_LT(readPosition(scheme, 27829656), changePosition(scheme, 27829656, 27824352));
  EXPECT_LT(changePosition(scheme, 27822432, 27822432), changePosition(scheme, std::nullopt, 27823376));
}

TEST(Scheme, NoPositionLiesBelowEveryOther) {
  EXPECT_LT(kNoPosition, readPosition(PositionScheme::CommitLsn, std::nullopt));
  EXPECT_LT(kNoPosition, changePosition(PositionScheme::Lsn, std::nullopt, 0));
}

TEST(Display, NamesAPositionForPeople) {
  EXPECT_EQ(displayPosition(PositionScheme::Lsn, {{42779648, 0, 0}}), "0/28CC400");
  EXPECT_EQ(displayPosition(PositionScheme::CommitLsn, {{42862800, 42779648, 0}}), "(0/28E08D0, 0/28CC400)");
  EXPECT_EQ(displayPosition(PositionScheme::Binlog, {{(std::int64_t{42} << 40) + 4, 0, 7}}), "000042:4#7");
  EXPECT_EQ(displayPosition(PositionScheme::Scn, {{12345, 0, 0}}), "12345");
  EXPECT_EQ(displayPosition(PositionScheme::Lsn, kNoPosition), "none");
}

const Lineage kStored{"7444321098765432100", 1, "orders_slot"};

TEST(LineageText, ComesBackTheSame) {
  EXPECT_EQ(kStored.display(), "7444321098765432100/1/orders_slot");
  EXPECT_EQ(Lineage::parse(kStored.display()), kStored);
  const Lineage withoutSlot{"a/b", 3, ""};
  EXPECT_EQ(Lineage::parse(withoutSlot.display()), withoutSlot);
  for (const char* text : {"", "a", "a/1", "/1/slot", "a/x/slot", "a//slot"})
    EXPECT_EQ(codeOf([&] { Lineage::parse(text); }), "lineage.text") << text;
}

TEST(LineageCheck, RefusesToComparePositionsOfTwoLineagesAndSaysWhatToDo) {
  const Lineage promoted{kStored.system, 2, kStored.slot};
  const Lineage otherSlot{kStored.system, 1, "new_slot"};
  const Lineage other{"99", 1, kStored.slot};
  EXPECT_EQ(compare(kStored, {{1, 0, 0}}, kStored, {{2, 0, 0}}), std::strong_ordering::less);
  for (const Lineage& incoming : {promoted, otherSlot, other}) {
    try {
      compare(kStored, {{1, 0, 0}}, incoming, {{2, 0, 0}});
      FAIL() << "compared with " << incoming.display();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "lineage.differs");
      EXPECT_NE(std::string(error.what()).find(kStored.display()), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(incoming.display()), std::string::npos);
      EXPECT_NE(error.detail().hint.find("fresh target"), std::string::npos);
      EXPECT_NE(error.detail().hint.find("re-key"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tidemark
