#include <stdexcept>

#include <QtCore/QCoreApplication>
#include <QtSql/QSqlDatabase>
#include <QtSql/QSqlError>
#include <QtSql/QSqlQuery>

#include "engine/postgres/postgres_sink.h"
#include "engine/postgres/postgres_source.h"
#include "engine/sqlite/sqlite_sink.h"
#include "engine/verify/verify.h"
#include "tests/bench/measure.h"

namespace tidemark::bench {

namespace {

constexpr std::uint64_t kDifferences = 100;

double verifyOnce(const BenchWorld& world, SinkReader& sink, const TableMapping& mapping, std::uint64_t differences) {
  const std::unique_ptr<Source> source = openPostgresSource(world.source(), "");
  NoProgress progress;
  VerifyReport report;
  const double seconds = secondsOf([&] { report = verify(*source, sink, mapping, {}, {}, {}, progress); });
  if (report.toRepair() != differences || report.differences.size() != differences) {
    throw std::runtime_error("verification found " + std::to_string(report.toRepair()) + " differences instead of " +
                             std::to_string(differences));
  }
  return seconds;
}

double medianSeconds(const BenchWorld& world, SinkReader& sink, const TableMapping& mapping,
                     std::uint64_t differences) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < std::max(world.repeats(), 3); ++repeat) {
    seconds.push_back(verifyOnce(world, sink, mapping, differences));
  }
  return median(seconds);
}

/// A third stale, missing and ghost each (and one stale more), spread over the whole table.
void makeDifferences(const BenchWorld& world) {
  const std::uint64_t step = world.rows() / kDifferences;
  const std::string places =
      " WHERE id % " + std::to_string(step) + " = 1 AND (id / " + std::to_string(step) + ") % 3 = ";
  world.sinkSql("UPDATE orders SET total = total + 1" + places + "0; DELETE FROM orders" + places + "1");
  world.sourceSql("DELETE FROM orders" + places + "2");
}

void removeDifferences(const BenchWorld& world) {
  // The rows that the source lost, taken from the sink, which still has them.
  const std::uint64_t step = world.rows() / kDifferences;
  const std::string rows =
      world.sinkSql("SELECT format('(%s, %L, %s, %L, %L)', id, customer, total, placed, open) FROM orders WHERE id % " +
                    std::to_string(step) + " = 1 AND (id / " + std::to_string(step) + ") % 3 = 2");
  std::string values;
  for (const char letter : rows) values += letter == '\n' ? ',' : letter;
  while (!values.empty() && values.back() == ',') values.pop_back();
  if (!values.empty()) world.sourceSql("INSERT INTO orders VALUES " + values + "; VACUUM ANALYZE orders");
}

void createSqliteTable(const std::filesystem::path& file) {
  QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "bench");
  database.setDatabaseName(QString::fromStdString(file.string()));
  if (!database.open()) throw std::runtime_error("no SQLite database for the bench");
  QSqlQuery query(database);
  if (!query.exec("CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, customer TEXT, total TEXT, placed TEXT, "
                  "open INTEGER, lsn INTEGER NOT NULL, deleted INTEGER NOT NULL)")) {
    throw std::runtime_error(query.lastError().text().toStdString());
  }
}

/// The source's rows through the sink's own guard.
void fillSqlite(const BenchWorld& world, Sink& sink, const TableMapping& mapping) {
  constexpr std::size_t kBatch = 50000;
  const std::unique_ptr<Source> source = openPostgresSource(world.source(), "");
  const std::unique_ptr<RowStream> rows = source->rows(world.mapping(), {});
  std::vector<Change> batch;
  StoredRow row;
  bool more = true;
  while (more) {
    more = rows->next(row);
    if (more) {
      Change& change = batch.emplace_back();
      change.key = row.key;
      change.payload = row.payload;
      change.position = Position{{kStoredPosition, 0, 0}};
    }
    if (batch.size() < kBatch && more) continue;
    sink.apply(mapping, batch);
    batch.clear();
  }
}

}  // namespace

std::vector<Figure> measureVerify(const BenchWorld& world) {
  const auto rows = static_cast<double>(world.rows());
  world.fillSink();
  const std::unique_ptr<SinkReader> sink = openPostgresReader(world.sink());
  const double equal = medianSeconds(world, *sink, world.mapping(), 0);
  makeDifferences(world);
  const double named = medianSeconds(world, *sink, world.mapping(), kDifferences);
  removeDifferences(world);
  std::vector<Figure> figures(3);
  figures[0] = {.part = "verify",
                .what = "same engine, equal",
                .value = rows / equal,
                .yardstick = Figure::Yardstick::Count,
                .aim = 0.2};
  figures[1] = {.part = "verify",
                .what = "same engine, 100 differences named",
                .value = rows / named,
                .yardstick = Figure::Yardstick::Count};
  figures[2] = {.part = "verify",
                .what = "same engine, 100 differences named",
                .value = named,
                .unit = Figure::Unit::Seconds,
                .aim = world.rows() == 10000000 ? 8.0 : 0.0};
  return figures;
}

std::vector<Figure> measureVerifyAcross(const BenchWorld& world) {
  int count = 1;
  char name[] = "tidemark_bench";
  char* arguments[] = {name, nullptr};
  const QCoreApplication application(count, arguments);
  const std::filesystem::path file = world.folder() / "orders.sqlite";
  createSqliteTable(file);
  TableMapping mapping = world.mapping();
  mapping.sink = {"", "orders"};
  const std::unique_ptr<Sink> sink = openSqliteSink(file);
  fillSqlite(world, *sink, mapping);
  Figure figure{.part = "verify",
                .what = "across engines (PostgreSQL, SQLite), streamed",
                .value = static_cast<double>(world.rows()) / medianSeconds(world, *sink, mapping, 0),
                .aim = 1.6e6};
  return {figure};
}

}  // namespace tidemark::bench
