#include "engine/sqlite/sqlite_sink.h"

#include <fstream>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/sqlite/sqlite_connection.h"
#include "engine/sqlite/sqlite_types.h"
#include "tests/engine/sqlite/sqlite_fixture.h"
#include "tests/support/sqlite_file.h"

namespace tidemark::test {

INSTANTIATE_TEST_SUITE_P(Sqlite, SinkSuite, testing::Values(SinkFixtureFactory(makeSqliteFixture)));

namespace {

const std::string kOrders =
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, lsn BIGINT NOT NULL, gone BOOLEAN NOT NULL)";

TableMapping orders() {
  TableMapping mapping;
  mapping.source = mapping.sink = {"", "orders"};
  mapping.key = {{"id", "id", {ColumnKind::BigInt, "bigint", {}}}};
  mapping.payload = {{"name", "name", {ColumnKind::Text, "text", {}}}};
  mapping.positionColumns = {"lsn"};
  mapping.markerColumn = "gone";
  return mapping;
}

TEST(SqliteTypes, TakesTheKindsWhoseAffinityKeepsTheText) {
  for (const ColumnKind kind :
       {ColumnKind::SmallInt, ColumnKind::Integer, ColumnKind::BigInt, ColumnKind::Numeric, ColumnKind::Text,
        ColumnKind::Boolean, ColumnKind::Date, ColumnKind::Timestamp, ColumnKind::TimestampTz, ColumnKind::Uuid,
        ColumnKind::Json, ColumnKind::Jsonb, ColumnKind::Bytea}) {
    const auto type = sqlite::columnType(sqlite::declaredType(kind));
    ASSERT_TRUE(type.has_value()) << sqlite::declaredType(kind);
    EXPECT_EQ(type->kind, kind) << sqlite::declaredType(kind);
    EXPECT_TRUE(sqlite::canHold(kind, *type));
  }
  EXPECT_EQ(sqlite::columnType("numeric(12,2) text")->scale, 2);
  EXPECT_EQ(sqlite::columnType("varchar(20)")->kind, ColumnKind::Text);
  EXPECT_EQ(sqlite::columnType("BLOB")->kind, ColumnKind::Bytea);
}

TEST(SqliteTypes, RefusesWhatWouldBecomeFloatingPointAndNamesTheWayOut) {
  for (const std::string declared : {"NUMERIC", "DECIMAL(10,2)", "DATE", "TIMESTAMP", "UUID", "JSON", "REAL", ""}) {
    EXPECT_FALSE(sqlite::columnType(declared).has_value()) << declared;
  }
  SqliteFile file;
  file.execute("CREATE TABLE prices (id INTEGER PRIMARY KEY, price NUMERIC(10,2))");
  const auto reader = openSqliteReader(file.path());
  try {
    reader->describe({"", "prices"});
    FAIL() << "NUMERIC was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "type.unsupported");
    EXPECT_NE(std::string(error.what()).find("price"), std::string::npos) << error.what();
    EXPECT_NE(error.detail().hint.find("NUMERIC TEXT"), std::string::npos) << error.detail().hint;
  }
}

TEST(SqliteSink, IsOpenedOnAnExistingDatabaseOnly) {
  SqliteFile file;
  EXPECT_EQ(codeOf([&] { openSqliteSink(file.path().parent_path() / "missing.db"); }), "sink.no_database");
  EXPECT_FALSE(std::filesystem::exists(file.path().parent_path() / "missing.db"));
  std::ofstream(file.path().parent_path() / "text.db") << std::string(5000, 'x');
  EXPECT_EQ(codeOf([&] { openSqliteSink(file.path().parent_path() / "text.db"); }), "sink.not_a_database");
}

TEST(SqliteSink, ReaderCannotWriteAtAll) {
  SqliteFile file;
  file.execute(kOrders);
  sqlite::Connection connection(file.path(), sqlite::Access::ReadOnly);
  EXPECT_EQ(codeOf([&] { connection.execute("INSERT INTO orders VALUES (1, 'a', 1, 0)"); }), "sink.read_only");
  EXPECT_NE(openSqliteReader(file.path())->describeConnection().find("read-only"), std::string::npos);
}

TEST(SqliteSink, WritesThroughTheLogAndWaitsForTheDisk) {
  SqliteFile file;
  sqlite::Connection connection(file.path(), sqlite::Access::ReadWrite);
  const auto setting = [&](const std::string& name) {
    sqlite::Statement statement = connection.prepare("PRAGMA " + name);
    statement.query().next();
    return statement.textAt(0);
  };
  EXPECT_EQ(setting("journal_mode"), "wal");
  EXPECT_EQ(setting("synchronous"), "2");
  EXPECT_GT(std::stoi(setting("busy_timeout")), 1000);
}

TEST(SqliteSink, TakesARowidKeyAndRefusesOneThatAcceptsNull) {
  SqliteFile file;
  file.execute(kOrders);
  const auto sink = openSqliteSink(file.path());
  EXPECT_EQ(findingOf(sink->inspect(orders(), {}), "sink.key_not_null").severity, Severity::Pass);
  file.execute("DROP TABLE orders");
  file.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, name TEXT, lsn BIGINT NOT NULL, gone BOOLEAN NOT NULL)");
  EXPECT_EQ(findingOf(sink->inspect(orders(), {}), "sink.key_not_null").severity, Severity::Failure);
}

TEST(SqliteSink, RefusesATextKeyThatDoesNotCompareBytewise) {
  SqliteFile file;
  file.execute(
      "CREATE TABLE orders (id TEXT COLLATE NOCASE NOT NULL PRIMARY KEY, name TEXT, lsn BIGINT NOT NULL, "
      "gone BOOLEAN NOT NULL)");
  TableMapping mapping = orders();
  mapping.key[0].type.kind = ColumnKind::Text;
  const Finding finding = findingOf(openSqliteSink(file.path())->inspect(mapping, {}), "sink.key_order");
  EXPECT_EQ(finding.severity, Severity::Failure);
  EXPECT_NE(finding.measured.find("NOCASE"), std::string::npos) << finding.measured;
}

TEST(SqliteSink, WantsAWaiverForATrigger) {
  SqliteFile file;
  file.execute(kOrders);
  file.execute("CREATE TRIGGER noisy AFTER INSERT ON orders BEGIN SELECT 1; END");
  const Finding finding = findingOf(openSqliteSink(file.path())->inspect(orders(), {}), "sink.triggers");
  EXPECT_EQ(finding.severity, Severity::Warning);
  EXPECT_TRUE(finding.waivable);
  EXPECT_EQ(finding.measured, "noisy");
}

TEST(SqliteSink, NamesAColumnThatIsNotThereInsteadOfComparingWithItsName) {
  SqliteFile file;
  file.execute(kOrders);
  TableMapping mapping = orders();
  mapping.markerColumn = "is_deleted";
  const auto sink = openSqliteSink(file.path());
  EXPECT_EQ(codeOf([&] { sink->countLive(mapping, {}); }), "sink.no_column");
  EXPECT_EQ(codeOf([&] { sink->apply(mapping, std::vector{row({"1"}, {Cell::of("a")}, 1)}); }), "sink.no_column");
}

TEST(SqliteSink, NamesTheConstraintThatRefusesARow) {
  SqliteFile file;
  file.execute(
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT UNIQUE, lsn BIGINT NOT NULL, gone BOOLEAN NOT NULL)");
  const auto sink = openSqliteSink(file.path());
  sink->apply(orders(), std::vector{row({"1"}, {Cell::of("same")}, 1)});
  EXPECT_EQ(codeOf([&] { sink->apply(orders(), std::vector{row({"2"}, {Cell::of("same")}, 2)}); }), "sink.constraint");
}

TEST(SqliteSink, NamesAFullDisk) {
  SqliteFile file;
  file.execute(kOrders);
  sqlite::Connection connection(file.path(), sqlite::Access::ReadWrite);
  connection.execute("PRAGMA max_page_count = 20");
  try {
    connection.execute("INSERT INTO orders VALUES (1, hex(zeroblob(200000)), 1, 0)");
    FAIL() << "a full disk went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "sink.disk_full");
    EXPECT_TRUE(error.detail().retryCanHelp);
    EXPECT_NE(error.detail().hint.find("Free room"), std::string::npos);
  }
}

TEST(SqliteSink, PutsALargeSweepBackPageByPage) {
  SqliteFile file;
  file.execute(kOrders);
  const auto sink = openSqliteSink(file.path());
  sink->ensureSchema();
  std::vector<Change> batch;
  for (int id = 1; id <= 2500; ++id)
    batch.push_back(row({std::to_string(id)}, {Cell::of("n" + std::to_string(id))}, 1));
  sink->apply(orders(), batch);
  const SweepRequest request{"run", {}, Position{{5, 0, 0}}};
  ListedKeys keys({});
  NoProgress progress;
  EXPECT_EQ(sink->previewSweep(orders(), request, keys, {}, progress).ghosts, 2500u);
  EXPECT_EQ(sink->commitSweep(orders(), request, 0).marked, 2500u);
  sink->apply(orders(), std::vector{row({"777"}, {Cell::of("since")}, 9)});
  const UndoResult undone = sink->undoSweep(orders(), "run");
  EXPECT_EQ(undone.restored, 2499u);
  EXPECT_EQ(undone.changedSince, (std::vector<Key>{{"777"}}));
  EXPECT_EQ(sink->countLive(orders(), {}), 2500u);
  EXPECT_EQ(sink->beforeImages("run"), 1u);
}

TEST(SqliteSink, RefusesAKeyListOutOfOrder) {
  SqliteFile file;
  file.execute(kOrders);
  const auto sink = openSqliteSink(file.path());
  sink->ensureSchema();
  sink->apply(orders(), std::vector{row({"9"}, {Cell::of("a")}, 1), row({"10"}, {Cell::of("b")}, 1)});
  ListedKeys keys({{"10"}, {"9"}});
  NoProgress progress;
  const SweepRequest request{"run", {}, Position{{5, 0, 0}}};
  EXPECT_EQ(codeOf([&] { sink->previewSweep(orders(), request, keys, {}, progress); }), "keys.not_sorted");
}

TEST(SqliteSink, SaysWhatToDoWhenItsOwnTablesAreMissing) {
  SqliteFile file;
  file.execute(kOrders);
  const auto sink = openSqliteSink(file.path());
  const std::vector<Key> keys{{"1"}};
  EXPECT_EQ(codeOf([&] { sink->noteKeysToRead(orders(), keys, "x"); }), "sink.no_schema");
  EXPECT_EQ(print(sink->apply(orders(), std::vector{row({"1"}, {Cell::of("a")}, 1)}).counts), "inserted 1");
}

TEST(SqliteSink, GoesOnStreamingWhileAnotherConnectionWrites) {
  SqliteFile file;
  file.execute(kOrders);
  const auto sink = openSqliteSink(file.path());
  sink->apply(orders(), std::vector{row({"1"}, {Cell::of("a")}, 1), row({"2"}, {Cell::of("b")}, 1)});
  const auto reader = openSqliteReader(file.path());
  const auto rows = reader->rows(orders(), {}, SinkRows::Live, {}, true);
  StoredRow stored;
  ASSERT_TRUE(rows->next(stored));
  sink->apply(orders(), std::vector{row({"2"}, {Cell::of("new")}, 2), row({"3"}, {Cell::of("c")}, 2)});
  ASSERT_TRUE(rows->next(stored));
  EXPECT_EQ(stored.payload, Row{Cell::of("b")}) << "one snapshot";
  EXPECT_FALSE(rows->next(stored));
}

}  // namespace
}  // namespace tidemark::test
