#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/apply/sink.h"
#include "tests/support/listed_keys.h"
#include "tests/support/thrown_code.h"

namespace tidemark::test {

/// One database for one test of the behaviour suite. The destructor removes it.
class SinkFixture {
 public:
  virtual ~SinkFixture() = default;

  /// A new connection of the product's own sink. The tidemark schema is not there before ensureSchema().
  virtual std::unique_ptr<Sink> open() = 0;
  /// A connection that can only read.
  virtual std::unique_ptr<SinkReader> openReader() = 0;
  /// Runs one statement by a connection of its own: another session, to the sink.
  virtual void execute(const std::string& sql) = 0;
  /// Declared type that the suite's tables use for a kind: "BIGINT", "NUMERIC TEXT".
  virtual std::string declaredType(ColumnKind kind) = 0;
  /// The table's name as the dialect writes it: schema "public" on PostgreSQL, none on SQLite.
  virtual TableName tableName(const std::string& name) = 0;
};

/// Makes a fixture; the parameter of the suite.
using SinkFixtureFactory = std::function<std::unique_ptr<SinkFixture>()>;

/// The behaviour that every sink must show, whatever database it lies in. An adapter's test program lists
/// tests/support/sink_suite*.cpp among its sources and instantiates the suite:
///   INSTANTIATE_TEST_SUITE_P(Sqlite, SinkSuite, testing::Values(SinkFixtureFactory(makeSqliteFixture)));
class SinkSuite : public testing::TestWithParam<SinkFixtureFactory> {
 protected:
  SinkSuite();
  ~SinkSuite() override;

  /// orders(id bigint key; customer text, total numeric, note text) under `lsn`, or with two position columns.
  TableMapping ordersMapping(PositionScheme scheme = PositionScheme::Lsn, const std::string& name = "orders");
  /// lines(order_id bigint, sku text key; qty integer).
  TableMapping linesMapping();
  /// A uuid key and one payload column of every kind, under names that want quoting.
  TableMapping everyKindMapping();

  /// CREATE TABLE of the mapping's sink as it should be: key, nullable payload, NOT NULL positions and marker.
  std::string createStatement(const TableMapping& mapping);
  /// Makes the table, and the tidemark schema beside it.
  void createTable(const TableMapping& mapping);
  /// The same statement with one part replaced, for tables that are not as they should be.
  std::string changedStatement(const TableMapping& mapping, const std::string& from, const std::string& to);
  /// One finding on a table orders that is made by `sql` and dropped again. What has not passed must say why.
  Finding inspectOrders(const TableMapping& mapping, const std::string& sql, const std::string& id);
  /// Every stored row, markers included, of those keys: "1:ann,1.50,NULL@120" or "1:deleted@130", in key order, apart
  /// by blanks.
  std::string stateOf(const TableMapping& mapping, const std::vector<Key>& keys);

  SinkFixture& database() { return *m_fixture; }
  Sink& sink() { return *m_sink; }

 private:
  std::unique_ptr<SinkFixture> m_fixture;
  std::unique_ptr<Sink> m_sink;
};

// Changes of the suite's tables, short to write.

Change row(Key key, Row payload, std::int64_t lsn);
Change removal(Key key, std::int64_t lsn);
/// Under commit-lsn: the change's position is (greatest(c, l), l); a missing c marks a doubt candidate.
Change pairRow(Key key, Row payload, std::optional<std::int64_t> c, std::int64_t l);
Change pairRemoval(Key key, std::optional<std::int64_t> c, std::int64_t l);
/// A read under commit-lsn: (c, 0).
Change pairRead(Key key, Row payload, std::optional<std::int64_t> c);

/// "inserted 1 updated 2 …": only the counts that are not zero, so that a failure prints what happened.
std::string print(const ApplyCounts& counts);
/// The finding with that id; a failed assertion and an empty finding when there is none.
Finding findingOf(const std::vector<Finding>& findings, const std::string& id);

}  // namespace tidemark::test
