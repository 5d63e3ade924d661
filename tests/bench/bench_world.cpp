#include "tests/bench/bench_world.h"

#include <stdexcept>
#include <stdlib.h>

namespace tidemark::bench {

namespace {

const std::map<std::string, std::string> kSettings{
    {"shared_buffers", "1GB"},    {"max_wal_size", "16GB"}, {"checkpoint_timeout", "30min"}, {"fsync", "on"},
    {"synchronous_commit", "on"}, {"autovacuum", "off"},    {"max_parallel_workers", "2"},   {"max_connections", "40"}};

/// The same rows on every run. What differs by `lag` is the total.
std::string orderRows(std::uint64_t rows, const std::string& more, int lag) {
  return "SELECT id, 'customer ' || (id * 7919) % 100003, ((id * 31) % 1000000 + " + std::to_string(lag) +
         ")::numeric(12,2) / 100, timestamptz '2024-01-01 00:00:00+00' + id * interval '1.5 s', id % 3 = 0" + more +
         "\nFROM generate_series(1::bigint, " + std::to_string(rows) + ") AS id";
}

ColumnPair column(const std::string& name, const std::string& declared) {
  return {name, name, columnTypeOf(declared)};
}

const char* const kColumns =
    "id bigint PRIMARY KEY, customer text, total numeric(12,2), placed timestamptz, open boolean";

}  // namespace

BenchWorld::BenchWorld(std::uint64_t rows, int repeats)
    : m_rows(rows), m_repeats(repeats), m_source(kSettings), m_sink(kSettings) {
  std::string pattern = (std::filesystem::temp_directory_path() / "tidemark-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  m_folder = pattern;
  m_mapping.source = {"public", "orders"};
  m_mapping.sink = {"public", "orders"};
  m_mapping.key = {column("id", "bigint")};
  m_mapping.payload = {column("customer", "text"), column("total", "numeric(12,2)"), column("placed", "timestamptz"),
                       column("open", "boolean")};
  m_mapping.positionColumns = {"lsn"};
  m_mapping.markerColumn = "deleted";
  m_source.sql("CREATE DATABASE orders");
  m_sink.sql("CREATE DATABASE orders");
  sourceSql(std::string("CREATE TABLE orders (") + kColumns + ");\nINSERT INTO orders " + orderRows(rows, "", 0) +
            ";\nVACUUM ANALYZE orders;\nCHECKPOINT;");
  sinkSql(std::string("CREATE TABLE orders (") + kColumns + ", lsn bigint NOT NULL, deleted boolean NOT NULL)");
}

BenchWorld::~BenchWorld() {
  std::error_code ignored;
  std::filesystem::remove_all(m_folder, ignored);
}

void BenchWorld::fillSink(bool lagging) const {
  const std::string more = ", " + std::to_string(kStoredPosition) + ", false";
  sinkSql("TRUNCATE orders;\nINSERT INTO orders " + orderRows(m_rows, more, lagging ? 1 : 0));
  settleSink();
}

void BenchWorld::emptySink() const {
  sinkSql("TRUNCATE orders");
  settleSink();
}

void BenchWorld::settleSink() const {
  sinkSql("VACUUM ANALYZE orders;\nCHECKPOINT;");
}

Change orderChange(std::uint64_t id, std::int64_t lsn) {
  Change change;
  const std::string text = std::to_string(id);
  change.key = {text};
  change.payload = {Cell::of("customer " + std::to_string(id * 7919 % 100003)),
                    Cell::of(std::to_string(id % 10000) + ".25"), Cell::of("2024-03-01 12:30:45.5+00"),
                    Cell::of(id % 2 == 0 ? "true" : "false")};
  change.lsn = lsn;
  change.position = Position{{lsn, 0, 0}};
  return change;
}

}  // namespace tidemark::bench
