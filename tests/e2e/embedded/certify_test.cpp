#include <gtest/gtest.h>

#include "tests/e2e/embedded/site.h"

namespace tidemark::test {
namespace {

using nlohmann::json;

/// What any correct build finds, sink by sink: passes of same batch twice, replay one by one and late update after
/// delete, then how many of 200 shuffles, 500 random logs and 5,040 orders end differently.
struct Figures {
  std::string name;
  bool twice, oneByOne, late;
  int shuffles, logs, orders;
};

std::vector<Figures> publishedTable() {
  return {{"guarded", true, true, true, 0, 0, 0},
          {"no_guard", false, false, false, 188, 414, 4480},
          {"newest_timestamp", true, true, true, 141, 155, 2520},
          {"newest_timestamp_strict", true, true, true, 65, 156, 2520},
          {"physical_delete", false, false, false, 130, 127, 3360}};
}

void expectPublishedTable(const ChildEnd& end) {
  expectCode(end, 0);
  const json sinks = document(end).value("sinks", json::array());
  const auto table = publishedTable();
  ASSERT_EQ(sinks.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const json& sink = sinks[i];
    EXPECT_EQ(sink.at("name"), table[i].name);
    EXPECT_EQ(sink.at("same_batch_twice"), table[i].twice) << table[i].name;
    EXPECT_EQ(sink.at("replay_one_by_one"), table[i].oneByOne) << table[i].name;
    EXPECT_EQ(sink.at("late_update_after_delete"), table[i].late) << table[i].name;
    EXPECT_EQ(sink.at("shuffles_that_differ"), table[i].shuffles) << table[i].name;
    EXPECT_EQ(sink.at("random_logs_that_fail"), table[i].logs) << table[i].name;
    EXPECT_EQ(sink.at("orders_that_differ"), table[i].orders) << table[i].name;
  }
}

std::vector<std::string> scratchTables(const Site& site) {
  return SqliteView(site.sink()).rows("SELECT name FROM sqlite_master WHERE name LIKE 'tidemark_scratch%'");
}

TEST(Certify, PrintsThePublishedTableAndDropsItsScratch) {
  Site site;
  const ChildEnd end = site.run(site.profiled("certify"));
  expectPublishedTable(end);
  EXPECT_TRUE(scratchTables(site).empty());
}

TEST(Certify, NeedsNoSource) {
  Site site;
  site.profile.erase("source");
  expectPublishedTable(site.run(site.profiled("certify")));
}

TEST(Certify, KilledInTheMiddleItBeginsAgainAndDropsWhatWasLeft) {
  Site site;
  const auto child = site.start(site.profiled("certify"));
  const auto hasRows = [&] {
    const auto tables = scratchTables(site);
    return !tables.empty() && SqliteView(site.sink()).number("SELECT count(*) FROM \"" + tables.front() + "\"") > 0;
  };
  ASSERT_TRUE(poll(*child, hasRows));
  EXPECT_EQ(child->kill().signal, 9);
  const auto leftovers = scratchTables(site);
  ASSERT_EQ(leftovers.size(), 1U);
  const ChildEnd again = site.run(site.profiled("certify"));
  EXPECT_NE(again.error.find(leftovers.front()), std::string::npos) << again.error;
  expectPublishedTable(again);
  EXPECT_TRUE(scratchTables(site).empty());
}

}  // namespace
}  // namespace tidemark::test
