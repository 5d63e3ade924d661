#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/event/change.h"
#include "engine/scope/table_mapping.h"
#include "tests/stack/postgres_server.h"

namespace tidemark::bench {

/// Stored in every row of the sink's table before a measurement: below any log position of the source.
inline constexpr std::int64_t kStoredPosition = 1000;

/// A source and a sink on two servers of their own, with the settings of a small production server: fsync on, 1 GB
/// of shared buffers, room for the log between checkpoints. Autovacuum is off, because it would start within some
/// measurements and not within others; tables are vacuumed and analysed between them.
class BenchWorld {
 public:
  BenchWorld(std::uint64_t rows, int repeats);
  ~BenchWorld();
  BenchWorld(const BenchWorld&) = delete;
  BenchWorld& operator=(const BenchWorld&) = delete;

  std::uint64_t rows() const { return m_rows; }
  int repeats() const { return m_repeats; }
  std::string source() const { return m_source.connection("orders"); }
  std::string sink() const { return m_sink.connection("orders"); }
  std::string sourceSql(const std::string& statements) const { return m_source.sql(statements, "orders"); }
  std::string sinkSql(const std::string& statements) const { return m_sink.sql(statements, "orders"); }
  const std::filesystem::path& folder() const { return m_folder; }

  /// orders (id bigint key; customer text, total numeric(12,2), placed timestamptz, open boolean) under `lsn`.
  const TableMapping& mapping() const { return m_mapping; }

  /// The sink's table anew: the source's rows at kStoredPosition, vacuumed, analysed, and checkpointed. `lagging`:
  /// every row with another total than at the source.
  void fillSink(bool lagging = false) const;
  void emptySink() const;
  /// Leaves no work of the past to the next measurement.
  void settleSink() const;

 private:
  std::uint64_t m_rows;
  int m_repeats;
  test::PostgresServer m_source;
  test::PostgresServer m_sink;
  std::filesystem::path m_folder;
  TableMapping m_mapping;
};

/// The row of key `id`, as a change at position `lsn`.
Change orderChange(std::uint64_t id, std::int64_t lsn);

/// Seconds that `work` takes.
template <typename Work>
double secondsOf(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tidemark::bench
