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

TEST(RehearsalTest, theNewerValueWinsInEveryCase) {
  const RehearsalResult result = rehearse({});
  ASSERT_EQ(result.cases.size(), 4U);
  for (const RehearsalCase& rehearsed : result.cases) {
    EXPECT_TRUE(rehearsed.newerWins()) << rehearsed.name << ": " << rehearsed.found;
    EXPECT_EQ(rehearsed.stamp.element[0], rehearsed.low - 1) << rehearsed.name;
  }
  EXPECT_TRUE(result.passed());
  EXPECT_GT(caseOf(result, "straddler").change, caseOf(result, "straddler").stamp.element[0]);
  EXPECT_GT(caseOf(result, "straddler_first").change, caseOf(result, "straddler_first").stamp.element[0]);
  EXPECT_EQ(caseOf(result, "at_boundary").change, caseOf(result, "at_boundary").low);
  EXPECT_LT(caseOf(result, "older").change, caseOf(result, "older").low);
}

TEST(RehearsalTest, theControlLosesTheChangeAtTheBoundary) {
  const RehearsalResult result = rehearse({});
  EXPECT_FALSE(result.control.newerWins());
  EXPECT_EQ(result.control.change, result.control.low);
  EXPECT_EQ(result.control.stamp.element[0], result.control.low);
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
  EXPECT_THROW(rehearse(stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace tidemark::test
