#include "engine/core/error.h"
#include "tests/support/sink_suite.h"

// Rule 1 and 2 of the law on one batch after another: what is written, what is skipped, and how it is counted.

namespace tidemark::test {
namespace {

Row order(const std::string& customer, const std::string& total = "1.00") {
  return {Cell::of(customer), Cell::of(total), Cell::null()};
}

Row orderWithout(std::size_t leftOut, const std::string& customer, const std::string& note = "n") {
  Row payload{Cell::of(customer), Cell::of("1.00"), Cell::of(note)};
  payload[leftOut] = Cell::leftOut();
  return payload;
}

TEST_P(SinkSuite, TellsInsertedUpdatedDeletedOlderAndEqualApart) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  const std::vector<Change> first{row({"1"}, order("ann"), 100), row({"2"}, order("bob"), 110), removal({"3"}, 120)};
  EXPECT_EQ(print(sink().apply(orders, first).counts), "inserted 2 deleted 1");
  const std::vector<Change> second{row({"1"}, order("ann2"), 130), row({"2"}, order("late"), 105),
                                   row({"3"}, order("back"), 119), row({"4"}, order("dan"), 140)};
  EXPECT_EQ(print(sink().apply(orders, second).counts), "inserted 1 updated 1 older 2");
  EXPECT_EQ(print(sink().apply(orders, second).counts), "older 2 equal 2");
  EXPECT_EQ(stateOf(orders, {{"1"}, {"2"}, {"3"}, {"4"}}),
            "1:ann2,1.00,NULL@130 2:bob,1.00,NULL@110 3:deleted@120 4:dan,1.00,NULL@140");
}

TEST_P(SinkSuite, KeepsADeleteAsAMarkerThatOlderChangesCannotPass) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  sink().apply(orders, std::vector{row({"1"}, order("ann"), 100)});
  EXPECT_EQ(print(sink().apply(orders, std::vector{removal({"1"}, 140)}).counts), "deleted 1");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:deleted@140");
  EXPECT_EQ(print(sink().apply(orders, std::vector{row({"1"}, order("late"), 115)}).counts), "older 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{row({"1"}, order("again"), 150)}).counts), "updated 1");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:again,1.00,NULL@150");
}

TEST_P(SinkSuite, SkipsAnEqualPositionWhateverItsContent) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  sink().apply(orders, std::vector{row({"1"}, order("first"), 100)});
  EXPECT_EQ(print(sink().apply(orders, std::vector{row({"1"}, order("corrected"), 100)}).counts), "equal 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{removal({"1"}, 100)}).counts), "equal 1");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:first,1.00,NULL@100");
}

TEST_P(SinkSuite, LetsAReadWithoutAPositionFillAKeyAndProtectNothing) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  Change read = row({"1"}, order("read"), 0);
  read.isRead = true;
  read.position = kNoPosition;
  EXPECT_EQ(print(sink().apply(orders, std::vector{read}).counts), "inserted 1");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:read,1.00,NULL@-1");
  sink().apply(orders, std::vector{row({"1"}, order("change"), 5)});
  EXPECT_EQ(print(sink().apply(orders, std::vector{read}).counts), "older 1");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:change,1.00,NULL@5");
}

TEST_P(SinkSuite, CollapsesABatchAndCountsEveryChangeOnce) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  const std::vector<Change> batch{row({"1"}, order("a"), 100), row({"1"}, order("c"), 120), row({"1"}, order("b"), 110),
                                  row({"2"}, order("x"), 130), removal({"2"}, 140)};
  const ApplyCounts counts = sink().apply(orders, batch).counts;
  EXPECT_EQ(print(counts), "inserted 1 deleted 1 collapsed 3");
  EXPECT_EQ(counts.total(), batch.size());
  EXPECT_EQ(stateOf(orders, {{"1"}, {"2"}}), "1:c,1.00,NULL@120 2:deleted@140");
}

TEST_P(SinkSuite, AnEmptyBatchChangesNothing) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  EXPECT_EQ(print(sink().apply(orders, {}).counts), "");
}

TEST_P(SinkSuite, CarriesALeftOutColumnOverFromTheStoredRow) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  sink().apply(orders, std::vector{row({"1"}, {Cell::of("ann"), Cell::of("1.00"), Cell::of("long note")}, 100)});
  const ApplyResult result = sink().apply(orders, std::vector{row({"1"}, orderWithout(2, "ann2"), 110)});
  EXPECT_EQ(print(result.counts), "updated 1");
  EXPECT_TRUE(result.incomplete.empty());
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:ann2,1.00,long note@110");
}

TEST_P(SinkSuite, CarriesALeftOutColumnOverFromTheChangeBeforeItInTheBatch) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  const ApplyResult result =
      sink().apply(orders, std::vector{row({"1"}, {Cell::of("ann"), Cell::of("1.00"), Cell::of("long note")}, 100),
                                       row({"1"}, orderWithout(2, "ann2"), 110)});
  EXPECT_EQ(result.counts.incomplete, 0u);
  EXPECT_EQ(result.counts.total(), 2u);
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:ann2,1.00,long note@110");
  EXPECT_TRUE(sink().keysToRead(orders, 10).empty());
}

TEST_P(SinkSuite, DoesNotTakeALeftOutValueFromAChangeThatTheStoredRowHasOvertaken) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  sink().apply(orders, std::vector{row({"1"}, {Cell::of("s"), Cell::of("2.00"), Cell::of("stored note")}, 105)});
  sink().apply(orders, std::vector{row({"1"}, {Cell::of("a"), Cell::of("1.00"), Cell::of("old note")}, 100),
                                   row({"1"}, orderWithout(2, "b"), 110)});
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:b,1.00,stored note@110");
}

TEST_P(SinkSuite, CountsAndNotesARowThatIsIncomplete) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  sink().apply(orders, std::vector{removal({"2"}, 90)});
  const ApplyResult result = sink().apply(
      orders, std::vector{row({"2"}, orderWithout(2, "over a marker"), 100), row({"1"}, orderWithout(2, "new"), 110)});
  EXPECT_EQ(print(result.counts), "inserted 1 updated 1 incomplete 2");
  EXPECT_EQ(result.incomplete.size(), 2u);
  EXPECT_EQ(sink().keysToRead(orders, 10), (std::vector<Key>{{"1"}, {"2"}}));
  EXPECT_EQ(stateOf(orders, {{"1"}, {"2"}}), "1:new,1.00,NULL@110 2:over a marker,1.00,NULL@100");
}

TEST_P(SinkSuite, SetsDoubtfulChangesApart) {
  const TableMapping orders = ordersMapping(PositionScheme::CommitLsn);
  createTable(orders);
  sink().apply(orders, std::vector{pairRow({"1"}, order("stored"), 200, 150)});
  // Loses, and its LSN lies above the stored one: it may be newer.
  const ApplyResult doubtful = sink().apply(orders, std::vector{pairRow({"1"}, order("maybe newer"), {}, 180)});
  EXPECT_EQ(print(doubtful.counts), "doubtful 1");
  EXPECT_EQ(doubtful.doubtful, (std::vector<Key>{{"1"}}));
  EXPECT_EQ(sink().keysToRead(orders, 10), (std::vector<Key>{{"1"}}));
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:stored,1.00,NULL@200/150");
  // Loses for good, or wins: nothing is in doubt.
  EXPECT_EQ(print(sink().apply(orders, std::vector{pairRow({"1"}, order("older"), {}, 140)}).counts), "older 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{pairRow({"1"}, order("newer"), {}, 210)}).counts), "updated 1");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:newer,1.00,NULL@210/210");
}

TEST_P(SinkSuite, FindsDoubtInsideOneBatchBeforeItIsCollapsed) {
  const TableMapping orders = ordersMapping(PositionScheme::CommitLsn);
  createTable(orders);
  const std::vector<Change> batch{pairRow({"1"}, order("arrived first"), 200, 150), pairRemoval({"1"}, {}, 180),
                                  pairRow({"1"}, order("later still"), 300, 290)};
  const ApplyResult result = sink().apply(orders, batch);
  EXPECT_EQ(print(result.counts), "inserted 1 doubtful 1 collapsed 1");
  EXPECT_EQ(result.counts.total(), batch.size());
  EXPECT_EQ(sink().keysToRead(orders, 10), (std::vector<Key>{{"1"}}));
}

TEST_P(SinkSuite, LetsAReadReplaceWhatIsOlderUnderCommitLsn) {
  const TableMapping orders = ordersMapping(PositionScheme::CommitLsn);
  createTable(orders);
  sink().apply(orders, std::vector{pairRow({"1"}, order("stale"), 100, 90), pairRow({"2"}, order("fresh"), 220, 210)});
  const std::vector<Change> reads{pairRead({"1"}, order("read"), 200), pairRead({"2"}, order("read"), 200),
                                  pairRead({"3"}, order("read"), {})};
  EXPECT_EQ(print(sink().apply(orders, reads).counts), "inserted 1 updated 1 older 1");
  EXPECT_EQ(stateOf(orders, {{"1"}, {"2"}, {"3"}}),
            "1:read,1.00,NULL@200/0 2:fresh,1.00,NULL@220/210 3:read,1.00,NULL@0/0");
}

TEST_P(SinkSuite, ComparesTheSecondElementOnlyWhenTheFirstIsEqual) {
  const TableMapping orders = ordersMapping(PositionScheme::CommitLsn);
  createTable(orders);
  sink().apply(orders, std::vector{pairRow({"1"}, order("stored"), 200, 150)});
  EXPECT_EQ(print(sink().apply(orders, std::vector{pairRow({"1"}, order("x"), 190, 189)}).counts), "older 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{pairRow({"1"}, order("x"), 200, 150)}).counts), "equal 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{pairRow({"1"}, order("next"), 200, 151)}).counts), "updated 1");
}

TEST_P(SinkSuite, OrdersByTheOrdinalWhereThePositionIsShared) {
  TableMapping orders = ordersMapping(PositionScheme::Binlog);
  orders.ordinalColumn = "ordinal";
  orders.positionColumns.push_back("ordinal");
  createTable(orders);
  Change first = row({"1"}, order("first row"), 500);
  Change second = row({"1"}, order("second row"), 500);
  second.position.element[2] = 1;
  EXPECT_EQ(print(sink().apply(orders, std::vector{second}).counts), "inserted 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{first}).counts), "older 1");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "1:second row,1.00,NULL@500#1");
}

TEST_P(SinkSuite, WritesTheFillerWhereAMarkerHasNoPayload) {
  TableMapping orders = ordersMapping();
  orders.fillers = {{"customer", "(none)"}, {"total", "0"}};
  createTable(orders);
  EXPECT_EQ(print(sink().apply(orders, std::vector{removal({"1"}, 100)}).counts), "deleted 1");
  EXPECT_EQ(print(sink().apply(orders, std::vector{row({"2"}, orderWithout(0, ""), 100)}).counts),
            "inserted 1 incomplete 1");
  EXPECT_EQ(stateOf(orders, {{"1"}, {"2"}}), "1:deleted(1:(none),0,NULL)@100 2:(none),1.00,n@100");
}

TEST_P(SinkSuite, KeepsEveryValueOfEveryKindExactly) {
  const TableMapping mapping = everyKindMapping();
  createTable(mapping);
  const Key first{"0b3b6d1e-6f0a-4a58-9f0e-1c2d3e4f5a6b"};
  const Key second{"ffffffff-ffff-4fff-bfff-ffffffffffff"};
  const Row values{Cell::of("-32768"),
                   Cell::of("2147483647"),
                   Cell::of("-9223372036854775808"),
                   Cell::of("123456789012345678901234567890.123456789012345678900"),
                   Cell::of("tab\there, \"quotes\", \\N, line\nfeed, ü€😀, ''"),
                   Cell::of("true"),
                   Cell::of("2024-02-29"),
                   Cell::of("2024-02-29 23:59:59.123456"),
                   Cell::of("2024-02-29 23:59:59.5+00"),
                   Cell::of("00000000-0000-4000-8000-00000000000a"),
                   Cell::of("{\"b\":1.0,  \"a\":[null]}"),
                   Cell::of("{\"a\": 1.10}"),
                   Cell::of("\\x00ff0a5c")};
  Row nulls(values.size(), Cell::null());
  Row edges = values;
  edges[3] = Cell::of("NaN");
  edges[4] = Cell::of("");
  edges[5] = Cell::of("false");
  edges[12] = Cell::of("\\x");
  const Key third{"ffffffff-ffff-4fff-bfff-fffffffffffe"};
  sink().apply(mapping, std::vector{row(first, values, 1), row(second, nulls, 2), row(third, edges, 3)});
  const std::vector<Key> keys{first, second, third};
  const std::vector<StoredRow> stored = sink().readKeys(mapping, keys);
  ASSERT_EQ(stored.size(), 3u);
  EXPECT_EQ(stored[0].payload, values);
  EXPECT_EQ(stored[1].key, third) << "in key order";
  EXPECT_EQ(stored[1].payload, edges);
  EXPECT_EQ(stored[2].payload, nulls);
}

TEST_P(SinkSuite, SeesWhatAnotherConnectionHasWritten) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  const auto other = database().open();
  other->apply(orders, std::vector{row({"1"}, order("newer"), 200)});
  EXPECT_EQ(print(sink().apply(orders, std::vector{row({"1"}, order("older"), 100)}).counts), "older 1");
  const std::vector<Key> keys{{"1"}};
  EXPECT_EQ(database().openReader()->readKeys(orders, keys).size(), 1u);
}

TEST_P(SinkSuite, WritesNothingOfABatchThatFails) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  std::vector<Change> batch{row({"1"}, order("good"), 100), row({"2"}, order("bad"), 110)};
  batch[1].key = {"not a number"};
  EXPECT_NE(codeOf([&] { sink().apply(orders, batch); }), "nothing thrown");
  EXPECT_EQ(stateOf(orders, {{"1"}}), "");
  EXPECT_EQ(print(sink().apply(orders, std::vector{batch[0]}).counts), "inserted 1") << "the sink goes on";
}

TEST_P(SinkSuite, NamesATableThatWasDroppedHalfWay) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  sink().apply(orders, std::vector{row({"1"}, order("a"), 100)});
  database().execute("DROP TABLE orders");
  EXPECT_EQ(codeOf([&] { sink().apply(orders, std::vector{row({"2"}, order("b"), 110)}); }), "sink.no_table");
}

TEST_P(SinkSuite, ForgetsANoteOnlyWhenTheReadHasSeenItsChange) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  sink().apply(orders, std::vector{row({"1"}, orderWithout(2, "a"), 100), row({"2"}, orderWithout(2, "b"), 300)});
  const std::vector<Key> noted{{"10"}, {"9"}};
  sink().noteKeysToRead(orders, noted, "verification");
  EXPECT_EQ(sink().keysToRead(orders, 3), (std::vector<Key>{{"1"}, {"2"}, {"9"}})) << "in key order, and no more";
  const std::vector<Key> all = sink().keysToRead(orders, 10);
  sink().clearKeysToRead(orders, all, Position{{200, 0, 0}});
  EXPECT_EQ(sink().keysToRead(orders, 10), (std::vector<Key>{{"2"}}));
  sink().clearKeysToRead(orders, all, Position{{300, 0, 0}});
  EXPECT_TRUE(sink().keysToRead(orders, 10).empty());
}

TEST_P(SinkSuite, KeepsTheNoteOfTheNewestChange) {
  const TableMapping orders = ordersMapping(PositionScheme::CommitLsn);
  createTable(orders);
  sink().apply(orders, std::vector{pairRow({"1"}, order("stored"), 500, 100)});
  sink().apply(orders, std::vector{pairRow({"1"}, order("x"), {}, 300)});
  sink().apply(orders, std::vector{pairRow({"1"}, order("x"), {}, 200)});
  const std::vector<Key> keys{{"1"}};
  sink().clearKeysToRead(orders, keys, Position{{250, 249, 0}});
  EXPECT_EQ(sink().keysToRead(orders, 10), keys);
  sink().clearKeysToRead(orders, keys, Position{{350, 349, 0}});
  EXPECT_TRUE(sink().keysToRead(orders, 10).empty());
}

}  // namespace
}  // namespace tidemark::test
