#include <algorithm>

#include "engine/core/error.h"
#include "tests/support/sink_suite.h"

// Reading in key order, what is kept beside the table, and what the guard needs of it.

namespace tidemark::test {
namespace {

Row order(const std::string& customer) {
  return {Cell::of(customer), Cell::of("1.00"), Cell::null()};
}

std::string keysOf(RowStream& rows) {
  std::string keys;
  for (StoredRow stored; rows.next(stored);) keys += (keys.empty() ? "" : " ") + displayKey(stored.key);
  return keys;
}

KeyRange range(std::optional<KeyBound> from, std::optional<KeyBound> to) {
  return {std::move(from), std::move(to)};
}

TEST_P(SinkSuite, StreamsLiveRowsOfTheScopeInKeyOrder) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  std::vector<Change> batch;
  for (const char* id : {"10", "9", "-3", "100", "2"}) batch.push_back(row({id}, order("c"), 100));
  batch.push_back(removal({"5"}, 100));
  sink().apply(orders, batch);
  const auto keys = [&](const Scope& scope) { return keysOf(*sink().rows(orders, scope, SinkRows::Live, {}, false)); };
  EXPECT_EQ(keys({}), "-3 2 9 10 100");
  EXPECT_EQ(keys({range(KeyBound{{"2"}, true}, KeyBound{{"10"}, true}), {}, {}}), "2 9 10");
  EXPECT_EQ(keys({range(KeyBound{{"2"}, false}, KeyBound{{"10"}, false}), {}, {}}), "9");
  EXPECT_EQ(keys({range({}, KeyBound{{"2"}, true}), {}, {}}), "-3 2");
  EXPECT_EQ(keys({{}, "id > 9", "id > 9 -- on the sink"}), "10 100");
  const Scope upper{range(KeyBound{{"9"}, true}, {}), "id <> 10", "id <> 10"};
  EXPECT_EQ(keys(upper), "9 100");
  EXPECT_EQ(sink().countLive(orders, upper), 2u);
  EXPECT_EQ(sink().countLive(orders, {}), 5u);
  EXPECT_EQ(sink().countMarkers(orders, {}), 1u);
  EXPECT_EQ(sink().countMarkers(orders, range(KeyBound{{"6"}, true}, {})), 0u);
}

TEST_P(SinkSuite, OrdersCompositeTextKeysBytewise) {
  const TableMapping lines = linesMapping();
  createTable(lines);
  std::vector<Change> batch;
  for (const char* sku : {"b", "B", "ä", "a-1", "a1", "", "z"}) batch.push_back(row({"7", sku}, {Cell::of("1")}, 10));
  batch.push_back(row({"10", "a"}, {Cell::of("1")}, 10));
  sink().apply(lines, batch);
  std::vector<Key> keys;
  const auto rows = sink().rows(lines, {}, SinkRows::Live, {}, true);
  for (StoredRow stored; rows->next(stored);) keys.push_back(stored.key);
  EXPECT_EQ(keys,
            (std::vector<Key>{
                {"7", ""}, {"7", "B"}, {"7", "a-1"}, {"7", "a1"}, {"7", "b"}, {"7", "z"}, {"7", "ä"}, {"10", "a"}}));
  const auto kinds = lines.keyKinds();
  EXPECT_TRUE(std::ranges::is_sorted(keys, [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) < 0; }));
  const Scope middle{range(KeyBound{{"7", "B"}, false}, KeyBound{{"7", "z"}, false}), {}, {}};
  EXPECT_EQ(sink().countLive(lines, middle), 3u);
}

TEST_P(SinkSuite, FindsTheSuspectsBelowABoundary) {
  const TableMapping orders = ordersMapping(PositionScheme::CommitLsn);
  createTable(orders);
  sink().apply(orders, std::vector{pairRow({"1"}, order("a"), 100, 90), pairRow({"2"}, order("b"), 200, 150),
                                   pairRow({"3"}, order("c"), 200, 199), pairRow({"4"}, order("d"), 300, 1),
                                   pairRemoval({"5"}, 50, 40)});
  const auto rows = sink().rows(orders, {}, SinkRows::LiveBelow, Position{{200, 199, 0}}, true);
  StoredRow first;
  ASSERT_TRUE(rows->next(first));
  EXPECT_EQ(first.payload, order("a"));
  EXPECT_EQ(first.position, (Position{{100, 90, 0}}));
  EXPECT_EQ(keysOf(*rows), "2") << "strictly below";
}

TEST_P(SinkSuite, KnowsItsNewestAndLowestPosition) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  EXPECT_FALSE(sink().newestPosition(orders).has_value());
  EXPECT_FALSE(sink().lowestPosition(orders).has_value());
  Change read = row({"9"}, order("r"), 0);
  read.position = kNoPosition;
  sink().apply(orders, std::vector{read});
  EXPECT_EQ(sink().newestPosition(orders), kNoPosition);
  EXPECT_FALSE(sink().lowestPosition(orders).has_value()) << "a read without a position bounds nothing";
  sink().apply(orders, std::vector{row({"1"}, order("a"), 7), row({"2"}, order("b"), 12), removal({"3"}, 15)});
  EXPECT_EQ(sink().newestPosition(orders), (Position{{15, 0, 0}}));
  EXPECT_EQ(sink().lowestPosition(orders), (Position{{7, 0, 0}}));
}

TEST_P(SinkSuite, DescribesItsTable) {
  const TableMapping lines = linesMapping();
  createTable(lines);
  const TableShape shape = sink().describe(lines.sink);
  ASSERT_EQ(shape.key.size(), 2u);
  EXPECT_EQ(shape.columns[shape.key[0]].name, "order_id");
  EXPECT_EQ(shape.columns[shape.key[1]].type.kind, ColumnKind::Text);
  ASSERT_NE(shape.find("qty"), nullptr);
  EXPECT_EQ(shape.find("qty")->type.kind, ColumnKind::Integer);
  EXPECT_TRUE(shape.find("qty")->nullable);
  EXPECT_FALSE(shape.find("is_deleted")->nullable);
  EXPECT_EQ(shape.find("is_deleted")->type.kind, ColumnKind::Boolean);
  EXPECT_EQ(codeOf([&] { sink().describe(database().tableName("nowhere")); }), "sink.no_table");
}

TEST_P(SinkSuite, RefusesAFilterThatIsNoCondition) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  const auto check = [&](const std::string& filter) { return codeOf([&] { sink().checkFilter(orders, filter); }); };
  EXPECT_EQ(check("id > 5 AND customer = 'it''s; (fine'"), "nothing thrown");
  EXPECT_EQ(check("\"customer\" IS NULL"), "nothing thrown");
  EXPECT_EQ(check("id >"), "filter.does_not_parse");
  EXPECT_EQ(check("no_such_column = 1"), "filter.does_not_parse");
  EXPECT_EQ(check("\"no_such_column\" = 'x'"), "filter.does_not_parse");
  EXPECT_EQ(check("id > 5) OR (id < 3"), "filter.does_not_parse");
  EXPECT_EQ(check("true; DROP TABLE orders"), "filter.does_not_parse");
  EXPECT_EQ(sink().countLive(orders, {}), 0u) << "the table is still there";
}

TEST_P(SinkSuite, MakesItsOwnTablesOnce) {
  const std::vector<std::string> statements = sink().schemaStatements();
  EXPECT_FALSE(statements.empty());
  sink().ensureSchema();
  EXPECT_TRUE(sink().schemaStatements().empty());
  sink().ensureSchema();
  EXPECT_TRUE(database().open()->schemaStatements().empty());
}

TEST_P(SinkSuite, RemembersTheLineage) {
  const TableMapping orders = ordersMapping();
  EXPECT_FALSE(database().openReader()->storedLineage(orders).has_value()) << "before there is a schema";
  createTable(orders);
  EXPECT_FALSE(sink().storedLineage(orders).has_value());
  sink().storeLineage(orders, {"7444", 1, "slot"});
  EXPECT_EQ(database().openReader()->storedLineage(orders), (Lineage{"7444", 1, "slot"}));
  sink().storeLineage(orders, {"7444", 2, "slot"});
  EXPECT_EQ(sink().storedLineage(orders), (Lineage{"7444", 2, "slot"}));
  EXPECT_FALSE(sink().storedLineage(linesMapping()).has_value()) << "of another table";
}

TEST_P(SinkSuite, LetsOneRunDriveATable) {
  const TableMapping orders = ordersMapping();
  createTable(orders);
  EXPECT_FALSE(sink().lockHolder(orders).has_value());
  const LockHolder holder{"run-1", "ann", "host-a", 4711, "2026-01-02T03:04:05Z"};
  sink().lockTable(orders, holder);
  ASSERT_TRUE(sink().lockHolder(orders).has_value());
  EXPECT_EQ(sink().lockHolder(orders)->user, "ann");
  const auto other = database().open();
  try {
    other->lockTable(orders, {"run-2", "bob", "host-b", 12, "2026-01-02T03:05:00Z"});
    FAIL() << "two runs drive one table";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "sink.locked");
    for (const char* part : {"run-1", "ann", "host-a", "4711"}) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  other->unlockTable(orders, "run-2");
  ASSERT_TRUE(sink().lockHolder(orders).has_value()) << "another run's unlock is not heard";
  sink().unlockTable(orders, "run-1");
  EXPECT_FALSE(other->lockHolder(orders).has_value());
  other->lockTable(orders, {"run-2", "bob", "host-b", 12, "2026-01-02T03:05:00Z"});
  EXPECT_EQ(sink().lockHolder(orders)->runId, "run-2");
}

TEST_P(SinkSuite, PassesATableThatIsAsTheGuardNeedsIt) {
  for (const TableMapping& mapping : {ordersMapping(), linesMapping(), everyKindMapping()}) {
    createTable(mapping);
    for (const Finding& finding : sink().inspect(mapping, {})) {
      EXPECT_NE(finding.severity, Severity::Failure) << finding.id << ": " << finding.measured << " " << finding.hint;
    }
  }
}

TEST_P(SinkSuite, RefusesWhatTheGuardCannotWorkWith) {
  const TableMapping orders = ordersMapping();
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& id) {
    const Finding finding = inspectOrders(orders, changedStatement(orders, from, to), id);
    EXPECT_EQ(finding.severity, Severity::Failure) << id << " with " << to;
    EXPECT_FALSE(finding.waivable) << id;
  };
  refused(", PRIMARY KEY (\"id\")", "", "sink.primary_key");
  refused("PRIMARY KEY (\"id\")", "PRIMARY KEY (\"id\", \"source_lsn\")", "sink.primary_key");
  refused("\"source_lsn\" BIGINT NOT NULL", "\"source_lsn\" BIGINT", "sink.position");
  refused("\"source_lsn\" BIGINT NOT NULL", "\"source_lsn\" TEXT NOT NULL", "sink.position");
  refused("\"source_lsn\" BIGINT NOT NULL, ", "", "sink.position");
  refused("\"is_deleted\" BOOLEAN NOT NULL", "\"is_deleted\" BOOLEAN", "sink.marker");
  refused("\"is_deleted\" BOOLEAN NOT NULL, ", "", "sink.marker");
  refused("\"note\" TEXT", "\"note\" TEXT NOT NULL", "sink.payload_null");
  refused("\"note\" TEXT, ", "", "sink.columns");
  refused("\"note\" TEXT", "\"note\" TEXT GENERATED ALWAYS AS ('x') STORED", "sink.generated_columns");
  refused("\"note\" TEXT", "\"note\" TEXT, extra TEXT NOT NULL", "sink.unmapped_columns");
  refused("\"customer\" TEXT", "\"customer\" BIGINT", "sink.types");
}

TEST_P(SinkSuite, AcceptsAFillerForAColumnThatRefusesNull) {
  TableMapping orders = ordersMapping();
  orders.fillers["note"] = "";
  EXPECT_EQ(inspectOrders(orders, createStatement(orders), "sink.payload_null").severity, Severity::Pass);
}

TEST_P(SinkSuite, RefusesANumericKey) {
  TableMapping orders = ordersMapping();
  orders.key[0].type.kind = ColumnKind::Numeric;
  EXPECT_EQ(inspectOrders(orders, createStatement(orders), "sink.key_order").severity, Severity::Failure);
}

TEST_P(SinkSuite, WantsAWaiverForUniqueIndexesAndForeignKeys) {
  const TableMapping orders = ordersMapping();
  const Finding unique = inspectOrders(
      orders, changedStatement(orders, "PRIMARY KEY", "UNIQUE (\"customer\"), PRIMARY KEY"), "sink.unique_indexes");
  EXPECT_EQ(unique.severity, Severity::Warning);
  EXPECT_TRUE(unique.waivable);
  database().execute("CREATE TABLE customers (name TEXT NOT NULL PRIMARY KEY)");
  const Finding foreign = inspectOrders(
      orders,
      changedStatement(orders, "PRIMARY KEY", "FOREIGN KEY (\"customer\") REFERENCES customers (name), PRIMARY KEY"),
      "sink.foreign_keys");
  EXPECT_EQ(foreign.severity, Severity::Warning);
  EXPECT_TRUE(foreign.waivable);
  EXPECT_NE(foreign.measured.find("customers"), std::string::npos) << foreign.measured;
}

TEST_P(SinkSuite, InspectsATableThatIsNotThere) {
  EXPECT_EQ(findingOf(sink().inspect(ordersMapping(), {}), "sink.table").severity, Severity::Failure);
}

}  // namespace
}  // namespace tidemark::test
