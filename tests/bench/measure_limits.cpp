#include "engine/core/copy_text.h"
#include "engine/postgres/connection.h"
#include "tests/bench/measure.h"

namespace tidemark::bench {

namespace {

const char* const kCopyTable =
    "DROP TABLE IF EXISTS public.plain_copy; CREATE TABLE public.plain_copy (LIKE public.orders INCLUDING ALL)";

double copyOnce(const BenchWorld& world) {
  postgres::Connection connection(world.sink());
  connection.execScript(kCopyTable);
  world.settleSink();
  return secondsOf([&] {
    postgres::CopyIn copy = connection.copyIn("COPY public.plain_copy FROM STDIN");
    std::string line;
    for (std::uint64_t id = 1; id <= world.rows(); ++id) {
      const Change change = orderChange(id, kStoredPosition);
      line = change.key[0];
      for (const Cell& cell : change.payload) {
        line += '\t';
        appendCopyCell(line, cell);
      }
      line += "\t1000\tf\n";
      copy.write(line);
    }
    copy.finish();
  });
}

double countOnce(const BenchWorld& world, int workers) {
  postgres::Connection connection(world.sink());
  connection.execScript("SET max_parallel_workers_per_gather TO " + std::to_string(workers));
  connection.exec("SELECT count(*) FROM public.orders");
  return secondsOf([&] { connection.exec("SELECT count(*) FROM public.orders"); });
}

}  // namespace

std::vector<Figure> measureLimits(const BenchWorld& world) {
  const auto rows = static_cast<double>(world.rows());
  std::vector<double> copy;
  std::vector<double> serial;
  std::vector<double> parallel;
  for (int repeat = 0; repeat < world.repeats(); ++repeat) copy.push_back(rows / copyOnce(world));
  world.sinkSql("DROP TABLE plain_copy");
  world.fillSink();
  for (int repeat = 0; repeat < 5; ++repeat) {
    serial.push_back(rows / countOnce(world, 0));
    parallel.push_back(rows / countOnce(world, 2));
  }
  std::vector<Figure> figures(3);
  figures[0] = {.part = "limit", .what = "COPY into a table with a primary key", .value = median(copy)};
  figures[1] = {.part = "limit", .what = "count(*), serial", .value = median(serial)};
  figures[2] = {.part = "limit", .what = "count(*), two workers", .value = median(parallel)};
  return figures;
}

}  // namespace tidemark::bench
