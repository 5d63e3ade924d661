#include "engine/keys/key_list.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/keys/sha256.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_code.h"

namespace tidemark {
namespace {

using test::codeOf;
using test::TemporaryFolder;

std::vector<Key> readAll(const std::filesystem::path& file, const KeyListSummary& expected) {
  std::vector<Key> keys;
  const auto reader = openKeyList(file, expected);
  for (Key key; reader->next(key);) keys.push_back(key);
  return keys;
}

std::string contentOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::vector<Key> kAwkward{
    {"", ""}, {"a\tb", "c\nd"}, {"\\N", "\\."}, {"\r\b\f\v", "ü€"}, {"z", std::string(300000, 'x')}};

TEST(Sha256, GivesThePrefixOfAStreamThatGoesOn) {
  Sha256 hash;
  hash.add("ab");
  const std::string prefix = hash.hex();
  EXPECT_EQ(hash.hex(), prefix) << "asking twice changes nothing";
  hash.add("c");
  EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 alone;
  alone.add("ab");
  EXPECT_EQ(alone.hex(), prefix);
}

TEST(Sha256, GivesThePublishedDigests) {
  Sha256 hash;
  EXPECT_EQ(hash.hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  hash.add("abc");
  EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 million;
  for (int i = 0; i < 1000; ++i) million.add(std::string(1000, 'a'));
  EXPECT_EQ(million.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(KeyList, GivesBackEveryKeyAsItWasAdded) {
  TemporaryFolder folder;
  KeyListWriter writer(folder / "keys");
  for (const Key& key : kAwkward) writer.add(key);
  EXPECT_TRUE(std::filesystem::exists(folder / "keys.part"));
  EXPECT_FALSE(std::filesystem::exists(folder / "keys"));
  const KeyListSummary summary = writer.close();
  EXPECT_FALSE(std::filesystem::exists(folder / "keys.part"));
  EXPECT_EQ(summary.count, kAwkward.size());
  Sha256 whole;
  whole.add(contentOf(folder / "keys"));
  EXPECT_EQ(summary.digest, whole.hex());
  EXPECT_EQ(readAll(folder / "keys", summary), kAwkward);
}

TEST(KeyList, HoldsAnEmptyKeyAndAnEmptyList) {
  TemporaryFolder folder;
  KeyListWriter empty(folder / "none");
  EXPECT_TRUE(readAll(folder / "none", empty.close()).empty());
  KeyListWriter one(folder / "one");
  one.add({""});
  EXPECT_EQ(readAll(folder / "one", one.close()), (std::vector<Key>{{""}}));
}

TEST(KeyList, RefusesAListThatIsNotTheOneDescribed) {
  TemporaryFolder folder;
  KeyListWriter writer(folder / "keys");
  for (int i = 100; i < 200; ++i) writer.add({std::to_string(i)});
  const KeyListSummary summary = writer.close();
  const std::string content = contentOf(folder / "keys");
  const auto refusedWith = [&](const std::string& bytes) {
    std::ofstream(folder / "keys", std::ios::binary | std::ios::trunc) << bytes;
    return codeOf([&] { readAll(folder / "keys", summary); });
  };
  EXPECT_EQ(refusedWith(content), "nothing thrown");
  EXPECT_EQ(refusedWith(content.substr(4)), "keys.list_differs") << "short by one key";
  EXPECT_EQ(refusedWith(content.substr(0, content.size() - 1)), "keys.list_differs") << "cut off";
  EXPECT_EQ(refusedWith(content + "200\n"), "keys.list_differs") << "one key too many";
  EXPECT_EQ(refusedWith("999" + content.substr(3)), "keys.list_differs") << "another key";
  std::filesystem::remove(folder / "keys");
  EXPECT_EQ(codeOf([&] { readAll(folder / "keys", summary); }), "keys.list_differs") << "missing";
}

TEST(KeyList, GoesOnAfterACrashFromItsCheckpoint) {
  TemporaryFolder folder;
  KeyListCheckpoint checkpoint;
  {
    KeyListWriter writer(folder / "keys");
    writer.add({"1", "a"});
    writer.add({"2", "b"});
    checkpoint = writer.checkpoint();
    writer.add({"3", "lost"});
    writer.checkpoint();
  }
  EXPECT_EQ(checkpoint.summary.count, 2u);
  EXPECT_EQ(checkpoint.last, (Key{"2", "b"}));
  EXPECT_EQ(checkpoint.bytes, 8u);
  auto writer = KeyListWriter::reopen(folder / "keys", checkpoint);
  writer->add({"4", "d"});
  const KeyListSummary summary = writer->close();
  EXPECT_EQ(readAll(folder / "keys", summary), (std::vector<Key>{{"1", "a"}, {"2", "b"}, {"4", "d"}}));

  // The same from a list that was already renamed when the program died.
  auto again = KeyListWriter::reopen(folder / "keys", checkpoint);
  EXPECT_EQ(readAll(folder / "keys", again->close()).size(), 2u);
}

TEST(KeyList, RefusesToGoOnWithAFileThatLostItsCheckpoint) {
  TemporaryFolder folder;
  KeyListCheckpoint checkpoint;
  {
    KeyListWriter writer(folder / "keys");
    writer.add({"12345"});
    checkpoint = writer.checkpoint();
  }
  std::ofstream(folder / "keys.part", std::ios::binary | std::ios::trunc) << "12346\n";
  EXPECT_EQ(codeOf([&] { KeyListWriter::reopen(folder / "keys", checkpoint); }), "keys.list_differs");
  std::filesystem::resize_file(folder / "keys.part", 2);
  EXPECT_EQ(codeOf([&] { KeyListWriter::reopen(folder / "keys", checkpoint); }), "keys.list_differs");
}

TEST(KeyList, NamesAFullDisk) {
  TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "keys.part");
  KeyListWriter writer(folder / "keys");
  writer.add({"1"});
  try {
    writer.checkpoint();
    FAIL() << "a full disk went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "keys.disk");
    EXPECT_NE(std::string(error.what()).find("the disk is full"), std::string::npos) << error.what();
    EXPECT_TRUE(error.detail().retryCanHelp);
  }
}

TEST(KeyList, NamesAFolderThatIsNotThere) {
  EXPECT_EQ(codeOf([] { KeyListWriter writer("/nonexistent/folder/keys"); }), "keys.disk");
}

}  // namespace
}  // namespace tidemark
