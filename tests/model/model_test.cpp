#include <iostream>

#include <gtest/gtest.h>

#include "tests/model/configurations.h"
#include "tests/model/explorer.h"

namespace tidemark::model {
namespace {

constexpr std::uint64_t kStatesOfAScheme = 10'000'000;

std::string linesOf(const Exploration& exploration) {
  std::string text;
  for (const std::string& line : exploration.counterexample) text += "\n  " + line;
  return text;
}

struct Totals {
  std::uint64_t states = 0;
  double schedules = 0;
  std::uint64_t doubtfulEnds = 0;
  std::uint32_t actions = 0;
};

Totals exploreLaw(PositionRule scheme) {
  Totals totals;
  for (const Configuration& configuration : lawConfigurations(scheme)) {
    const Exploration found = explore(configuration);
    std::cout << configuration.name << ": " << found.states << " distinct states, " << found.schedules << " schedules, "
              << found.ends << " ends, " << found.wrongEnds << " wrong" << std::endl;
    EXPECT_GT(found.ends, 0U) << configuration.name;
    EXPECT_EQ(found.wrongEnds, 0U) << configuration.name << linesOf(found);
    totals.states += found.states;
    totals.schedules += found.schedules;
    totals.doubtfulEnds += found.doubtfulEnds;
    totals.actions |= found.actions;
  }
  std::cout << "together: " << totals.states << " distinct states, " << totals.schedules << " schedules" << std::endl;
  return totals;
}

/// A part of the model that never happens would prove nothing.
void expectEveryActionOfTheLaw(const Totals& totals) {
  for (unsigned action = 0; action <= static_cast<unsigned>(Action::Sweep); ++action) {
    if (static_cast<Action>(action) == Action::Stamp) continue;  // only the control that stamps after the read has it
    EXPECT_NE(totals.actions & (1U << action), 0U) << describe(static_cast<Action>(action), 0);
  }
}

TEST(LawUnderLsn, EveryScheduleEndsEqualToTheSource) {
  const Totals totals = exploreLaw(PositionRule::LawLsn);
  EXPECT_GE(totals.states, kStatesOfAScheme);
  EXPECT_EQ(totals.doubtfulEnds, 0U) << "nothing is ever in doubt under lsn";
  expectEveryActionOfTheLaw(totals);
}

TEST(LawUnderCommitLsn, EveryScheduleEndsEqualToTheSource) {
  const Totals totals = exploreLaw(PositionRule::LawCommitLsn);
  EXPECT_GE(totals.states, kStatesOfAScheme);
  EXPECT_GT(totals.doubtfulEnds, 0U);
  expectEveryActionOfTheLaw(totals);
}

class UnsafeRule : public testing::TestWithParam<Control> {};

TEST_P(UnsafeRule, EndsWrongWhereTheLawDoesNot) {
  const Control& control = GetParam();
  const Exploration law = explore(control.law);
  EXPECT_EQ(law.wrongEnds, 0U) << linesOf(law);

  const Exploration found = explore(control.unsafe);
  EXPECT_GT(found.wrongEnds, 0U);
  std::cout << control.name << ": " << found.wrongEnds << " of " << found.ends << " ends wrong, "
            << 100 * found.wrongSchedules / found.schedules << " % of the schedules; the shortest:" << linesOf(found)
            << std::endl;
}

std::string testName(const testing::TestParamInfo<Control>& info) {
  std::string name;
  bool wordBegins = true;
  for (const char character : info.param.name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(character)) != 0;
    if (letter) name += wordBegins ? static_cast<char>(std::toupper(static_cast<unsigned char>(character))) : character;
    wordBegins = !letter;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Law, UnsafeRule, testing::ValuesIn(controls()), testName);

}  // namespace
}  // namespace tidemark::model
