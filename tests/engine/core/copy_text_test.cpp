#include "engine/core/copy_text.h"

#include <gtest/gtest.h>

#include "tests/support/thrown_code.h"

namespace tidemark::test {
namespace {

const std::vector<Key> kAwkward{
    {"", ""}, {"a\tb", "c\nd"}, {"\\N", "\\."}, {"\r\b\f\v", "ü€"}, {"z", std::string(300000, 'x')}};

std::string textOf(std::string_view field) {
  std::string line;
  appendCopyText(line, field);
  return line;
}

Key keyOf(std::string_view line) {
  Key key;
  readCopyKey(line, key);
  return key;
}

TEST(CopyText, EscapesWhatWouldEndAField) {
  EXPECT_EQ(textOf("a\tb\\c\nd\r"), "a\\tb\\\\c\\nd\\r");
  EXPECT_EQ(textOf("\b\f\v"), "\\b\\f\\v");
  EXPECT_EQ(textOf(""), "");
}

TEST(CopyText, GivesBackEveryKeyAsItWasWritten) {
  Key read{"left", "over", "from the line before"};
  for (const Key& key : kAwkward) {
    std::string line;
    appendCopyKey(line, key);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    readCopyKey(line, read);
    EXPECT_EQ(read, key);
  }
}

TEST(CopyText, ReadsTheEscapesThatOnlyAServerWrites) {
  EXPECT_EQ(keyOf("\\101\\x42\\q"), Key{"ABq"});
  EXPECT_EQ(keyOf("\\1019"), Key{"A9"}) << "three octal digits at most";
  EXPECT_EQ(keyOf("\\xg"), Key{"xg"}) << "no hexadecimal digit follows";
}

TEST(CopyText, RefusesAFieldThatEndsInAnEscape) {
  EXPECT_EQ(codeOf([] { keyOf("a\\"); }), "copy.text");
  EXPECT_EQ(codeOf([] { keyOf("a\\\tb"); }), "copy.text");
}

TEST(CopyText, TellsNullFromTheTextThatLooksLikeIt) {
  const Row row{Cell::null(), Cell::of("\\N"), Cell::of(""), Cell::of("\t")};
  std::string line;
  appendCopyRow(line, row);
  EXPECT_EQ(line, "\\N\t\\\\N\t\t\\t");
  Row read{Cell::of("left"), Cell::null(), Cell::null(), Cell::null(), Cell::of("over")};
  readCopyRow(line, read);
  EXPECT_EQ(read, row);
}

TEST(CopyText, NeverWritesACellThatItsEventLeftOut) {
  std::string line;
  EXPECT_EQ(codeOf([&] { appendCopyCell(line, Cell::leftOut()); }), "copy.left_out");
}

}  // namespace
}  // namespace tidemark::test
