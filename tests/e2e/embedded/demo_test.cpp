#include <gtest/gtest.h>

#include "engine/simulator/demo_world.h"
#include "tests/e2e/embedded/site.h"

namespace tidemark::test {
namespace {

using nlohmann::json;

std::vector<std::string> keysOf(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

/// The demo of a person who has just cloned the project: no profile, no folder, no configuration.
struct PlainDemo {
  TemporaryFolder temporary;
  ChildEnd end;

  PlainDemo() {
    ChildOptions options;
    options.environment["TMPDIR"] = temporary.path().string();
    end = ChildProcess(tidemarkctl(), {"demo", "--json"}, options).wait();
  }
};
const PlainDemo& theDemo() {
  static const PlainDemo demo;
  return demo;
}
const ChildEnd& plainDemo() {
  return theDemo().end;
}

TEST(Demo, EndsWellAndSaysSoInOneDocument) {
  expectCode(plainDemo(), 0);
  const json result = document(plainDemo());
  ASSERT_TRUE(result.is_object());
  EXPECT_FALSE(result.value("run", std::string()).empty());
  EXPECT_EQ(result.value("end", std::string()), "finished");
}

TEST(Demo, NamesFifteenStepsInOrderEachWithItsResult) {
  const json steps = document(plainDemo()).value("steps", json::array());
  ASSERT_EQ(steps.size(), 15U);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(keysOf(steps[i]), (std::vector<std::string>{"name", "number", "result"}));
    EXPECT_EQ(steps[i].at("number"), i + 1);
    EXPECT_FALSE(steps[i].at("name").get<std::string>().empty());
    const auto result = steps[i].at("result").get<std::string>();
    EXPECT_TRUE(result == "passed" || result == "does_not_apply") << steps[i];
  }
}

TEST(Demo, FindsWhatWasSeededAndLeavesNothing) {
  const json result = document(plainDemo());
  const DemoOptions seeded;
  const std::vector<std::string> kinds{"ghost", "missing", "stale"};
  ASSERT_EQ(keysOf(result.at("differences_before")), kinds);
  ASSERT_EQ(keysOf(result.at("differences_after")), kinds);
  EXPECT_EQ(result.at("differences_before").at("missing"), seeded.differences.missing);
  EXPECT_EQ(result.at("differences_before").at("stale"), seeded.differences.stale);
  EXPECT_EQ(result.at("differences_before").at("ghost"), seeded.differences.ghosts);
  EXPECT_EQ(differences(result.at("differences_after")), "missing 0, stale 0, ghost 0");
}

TEST(Demo, TellsItsProgressOnStandardErrorAlone) {
  EXPECT_NE(plainDemo().error.find("step 15 Lineage: done"), std::string::npos) << plainDemo().error;
  EXPECT_EQ(plainDemo().output.find("step 15"), std::string::npos);
}

TEST(Demo, LeavesNothingBehind) {
  expectCode(plainDemo(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(theDemo().temporary.path()));
}

TEST(Demo, KeepsItsDatabasesAndItsRunInAFolderThatIsNamed) {
  TemporaryFolder folder;
  const auto kept = folder / "kept";
  const ChildEnd end = ChildProcess(tidemarkctl(), {"demo", "--rows", "2000", "--folder", kept.string()}).wait();
  expectCode(end, 0);
  EXPECT_NE(end.output.find("Differences after:  missing 0, stale 0, ghost 0"), std::string::npos) << end.output;
  EXPECT_TRUE(std::filesystem::exists(kept / "sink.db"));
  EXPECT_FALSE(std::filesystem::is_empty(kept / "runs"));
}

}  // namespace
}  // namespace tidemark::test
