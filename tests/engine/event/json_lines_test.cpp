#include "engine/event/json_lines.h"

#include <sstream>

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace tidemark {
namespace {

std::vector<JsonLine> linesOf(const std::string& text) {
  std::istringstream input(text);
  JsonLinesReader reader(input);
  std::vector<JsonLine> lines;
  for (JsonLine line; reader.next(line);) lines.push_back(line);
  return lines;
}

/// "code: message" of the refusal.
std::string refusal(const std::string& text) {
  try {
    linesOf(text);
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "not refused";
}

bool startsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

TEST(JsonLines, HandKeyAndValueOnAsTheyStand) {
  const auto lines = linesOf(R"({"topic":"t","key":{"id": 1},"headers":[["a","}\""]],"value":{"v":1.10}})"
                             "\n\n"
                             R"( { "value" : null , "key" : "k" } )"
                             "\r\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].number, 1U);
  EXPECT_EQ(lines[0].key, R"({"id": 1})");
  EXPECT_EQ(lines[0].value, R"({"v":1.10})");
  EXPECT_EQ(lines[1].number, 3U);
  EXPECT_EQ(lines[1].key, "\"k\"");
  EXPECT_EQ(lines[1].value, "null");
}

TEST(JsonLines, TakeOnlyTheOuterMembers) {
  const auto lines = linesOf("{\"other\":{\"key\":1,\"value\":2},\"key\":3,\"value\":4}\n");
  EXPECT_EQ(lines.at(0).key, "3");
  EXPECT_EQ(lines.at(0).value, "4");
}

TEST(JsonLines, AcceptALastLineWithoutLineEndWhenItIsWhole) {
  EXPECT_EQ(linesOf("{\"key\":1,\"value\":2}\n{\"key\":3,\"value\":4}").size(), 2U);
  EXPECT_TRUE(linesOf("").empty());
  EXPECT_TRUE(linesOf("\n\n").empty());
}

TEST(JsonLines, NameTheLineThatIsCutOffWhereverItIsCut) {
  const std::string whole = R"({"key":{"id":1},"value":{"a":"x\"y","n":-1.5e3,"t":true,"z":null,"l":[1,2]}})";
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string refused = refusal(whole + "\n" + whole.substr(0, length));
    EXPECT_TRUE(startsWith(refused, "lines.cut_off: Line 2 ")) << length << ": " << refused;
  }
}

TEST(JsonLines, HandOutTheLinesBeforeACutOne) {
  std::istringstream input("{\"key\":1,\"value\":2}\n{\"key\":3,\"val");
  JsonLinesReader reader(input);
  JsonLine line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line.number, 1U);
  EXPECT_THROW(reader.next(line), Error);
}

TEST(JsonLines, NameTheLineThatIsNoEvent) {
  const std::string good = "{\"key\":1,\"value\":2}\n";
  for (const char* bad :
       {"[1]", "1", "{\"key\":1}", "{\"key\":1,\"value\":2}}", "{\"key\":1,\"value\":2} x", "{\"key\":1 \"value\":2}",
        "{'key':1,\"value\":2}", "{\"key\":1,\"value\":truth}", "{\"key\":1,\"value\":1.}",
        "{\"key\":1,\"value\":\"\\q\"}", "{\"key\":1,\"value\":\"\t\"}", "{\"key\":1,\"value\":}"})
    EXPECT_TRUE(startsWith(refusal(good + bad + "\n"), "lines.json: Line 2 "))
        << bad << " " << refusal(good + bad + "\n");
  EXPECT_TRUE(startsWith(refusal(good + "{\"key\":1,\n" + good), "lines.json: Line 2 "));
}

TEST(JsonLines, AreNotTakenDownByDeepNesting) {
  EXPECT_TRUE(startsWith(refusal("{\"key\":1,\"value\":" + std::string(100000, '[') + "\n"), "lines.json: Line 1 "));
}

}  // namespace
}  // namespace tidemark
