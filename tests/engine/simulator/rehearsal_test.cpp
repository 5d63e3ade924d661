#include "engine/simulator/rehearsal.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace tidemark::test {
namespace {

const RehearsalCase& caseOf(const RehearsalResult& result, const std::string& name) {
  for (const RehearsalCase& rehearsed : result.cases) {
    if (rehearsed.name == name) return rehearsed;
  }
  throw std::runtime_error("no case " + name);
}

class RehearsalSchemeTest : public testing::TestWithParam<PositionScheme> {};

TEST_P(RehearsalSchemeTest, theNewerValueWinsInEveryCase) {
  const RehearsalResult result = rehearse(GetParam(), {});
  ASSERT_EQ(result.cases.size(), 4U);
  for (const RehearsalCase& rehearsed : result.cases) {
    EXPECT_TRUE(rehearsed.newerWins()) << rehearsed.name << ": " << rehearsed.found;
    EXPECT_EQ(rehearsed.stamp, boundaryPosition(GetParam(), rehearsed.low)) << rehearsed.name;
  }
  EXPECT_TRUE(result.passed());
  EXPECT_GE(caseOf(result, "straddler").change, caseOf(result, "straddler").low);
  EXPECT_GE(caseOf(result, "straddler_first").change, caseOf(result, "straddler_first").low);
  EXPECT_EQ(caseOf(result, "at_boundary").change, caseOf(result, "at_boundary").low);
  EXPECT_LT(caseOf(result, "older").change, caseOf(result, "older").low);
}

TEST_P(RehearsalSchemeTest, theControlLosesTheChangeAtTheBoundary) {
  const RehearsalResult result = rehearse(GetParam(), {});
  EXPECT_FALSE(result.control.newerWins());
  EXPECT_EQ(result.control.change, result.control.low);
  EXPECT_EQ(result.control.stamp, boundaryPosition(GetParam(), result.control.low + 1));
}

INSTANTIATE_TEST_SUITE_P(Schemes, RehearsalSchemeTest, testing::Values(PositionScheme::Lsn, PositionScheme::CommitLsn),
                         [](const auto& scheme) { return scheme.param == PositionScheme::Lsn ? "Lsn" : "CommitLsn"; });

TEST(RehearsalTest, findingsFailForALostChangeAndForAControlThatLosesNothing) {
  RehearsalResult result;
  RehearsalCase lost;
  lost.name = "straddler";
  lost.expected = "newer";
  lost.found = "older";
  result.cases.push_back(lost);
  result.control = lost;
  result.control.name = "control";
  auto findings = rehearsalFindings(PositionScheme::Lsn, result);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, "rehearsal.straddler");
  EXPECT_EQ(findings[0].severity, Severity::Failure);
  EXPECT_EQ(findings[1].severity, Severity::Pass);
  result.cases[0].found = result.control.found = "newer";
  findings = rehearsalFindings(PositionScheme::Lsn, result);
  EXPECT_EQ(findings[0].severity, Severity::Pass);
  EXPECT_EQ(findings[1].severity, Severity::Failure);
}

TEST(RehearsalTest, refusesAScheme) {
  EXPECT_THROW(rehearse(PositionScheme::Binlog, {}), Error);
}

TEST(RehearsalTest, doesNotPassWhenTheControlFindsNothing) {
  RehearsalResult result;
  EXPECT_FALSE(result.passed()) << "nothing was rehearsed";
  RehearsalCase good;
  good.expected = good.found = "newer";
  result.cases.push_back(good);
  result.control = good;
  EXPECT_FALSE(result.passed()) << "the control did not lose anything";
  result.control.found = "older";
  EXPECT_TRUE(result.passed());
  result.cases.push_back(result.control);
  EXPECT_FALSE(result.passed()) << "a case lost the newer value";
}

TEST(RehearsalTest, stopsOnRequest) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(rehearse(PositionScheme::Lsn, stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace tidemark::test
