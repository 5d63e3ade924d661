#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/model/random_rules.h"

namespace tidemark::model {
namespace {

constexpr std::uint64_t kSchedules = 200'000;

struct NamedRules {
  std::string name;
  PositionRule position;
  bool keepDoubtful;
  bool isLaw;
};

const std::vector<NamedRules>& namedRules() {
  static const std::vector<NamedRules> kRules = {
      {"the law under lsn", PositionRule::LawLsn, true, true},
      {"the law under commit-lsn", PositionRule::LawCommitLsn, true, true},
      {"source.lsn on reads too", PositionRule::LsnOnReads, false, false},
      {"the pair as it stands, null as 0", PositionRule::PairNullAsZero, false, false},
      {"only the pair's reads mended", PositionRule::OnlyReadsMended, false, false},
      {"only the pair's nulls mended", PositionRule::OnlyNullsMended, false, false},
      {"both mended, without the doubtful list", PositionRule::LawCommitLsn, false, false},
  };
  return kRules;
}

TEST(RandomSchedules, OnlyTheLawAlwaysEndsEqualToTheSource) {
  std::vector<std::uint64_t> wrong(namedRules().size(), 0);
  std::vector<std::uint64_t> firstWrong(namedRules().size(), 0);
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    const RandomSchedule schedule = randomSchedule(seed);
    if (schedule.events.empty()) continue;
    for (std::size_t i = 0; i < namedRules().size(); ++i) {
      Rules rules;
      rules.position = namedRules()[i].position;
      rules.keepDoubtful = namedRules()[i].keepDoubtful;
      if (!endsRightOneByOne(rules, schedule) && wrong[i]++ == 0) firstWrong[i] = seed;
    }
  }
  std::cout << "of " << kSchedules << " schedules end with a wrong row:\n";
  for (std::size_t i = 0; i < namedRules().size(); ++i) {
    const NamedRules& rules = namedRules()[i];
    std::cout << "  " << rules.name << ": " << wrong[i] << '\n';
    if (rules.isLaw) {
      EXPECT_EQ(wrong[i], 0U) << rules.name << ", first by seed " << firstWrong[i];
    } else {
      EXPECT_GT(wrong[i], 0U) << rules.name;
    }
  }
}

TEST(RandomSchedules, BatchesEndAsSingleChangesDo) {
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    const RandomSchedule schedule = randomSchedule(seed);
    const int largest = seed % 2 == 0 ? 4 : 40;
    ASSERT_TRUE(endsRightInBatches(PositionScheme::CommitLsn, schedule, largest, seed)) << "seed " << seed;
    ASSERT_TRUE(endsRightInBatches(PositionScheme::Lsn, schedule, largest, seed)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark::model
