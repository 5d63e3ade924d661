#include <algorithm>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "tests/engine/postgres_source/source_fixture.h"

namespace tidemark::test {
namespace {

using postgres::Connection;

constexpr int kWriters = 4;
constexpr int kTransactions = 150;
constexpr int kKeys = 40;

/// Inserts, updates, deletes and re-creates a few keys, several in a transaction, some of them rolled back.
void write(const std::string& connectionString, unsigned seed) {
  Connection connection(connectionString);
  std::mt19937 random(seed);
  for (int transaction = 0; transaction < kTransactions; ++transaction) {
    try {
      connection.begin();
      const int changes = 1 + static_cast<int>(random() % 3);
      for (int change = 0; change < changes; ++change) {
        const std::string key = std::to_string(random() % kKeys);
        const std::string value =
            std::to_string(seed) + "." + std::to_string(transaction) + "." + std::to_string(change);
        if (random() % 4 == 0)
          connection.exec("DELETE FROM public.t WHERE id = $1", {key});
        else
          connection.exec("INSERT INTO public.t VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET v = excluded.v",
                          {key, value});
      }
      if (random() % 10 == 0)
        connection.rollback();
      else
        connection.commit();
    } catch (const Error& error) {
      // Writers that lock keys in different orders meet; the server ends one of them.
      if (error.code() != "postgres.conflict") throw;
      connection.rollback();
    }
  }
}

class PostgresConvergence : public ::testing::TestWithParam<PositionScheme> {};

TEST_P(PostgresConvergence, LoadsUnderLiveWritersEndRightInAnyOrderOfDelivery) {
  const PostgresServer server(std::map<std::string, std::string>{{"deadlock_timeout", "20ms"}});
  server.sql(
      "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, 'first' FROM generate_series(0, 39) g");
  LogicalStream::createSlot(server.connection(), "stream");
  const std::unique_ptr<Source> source = openPostgresSource(server.connection(), "stream");
  TableMapping mapping = mappingOf(*source, "public.t");
  mapping.scheme = GetParam();

  std::vector<Change> delivered;
  {
    std::vector<std::jthread> writers;
    for (unsigned writer = 1; writer <= kWriters; ++writer)
      writers.emplace_back([&server, writer] { write(server.connection(), writer); });
    BoundaryOptions options;
    options.scheme = GetParam();
    for (int load = 0; load < 5; ++load) {
      const Boundary boundary = source->captureBoundary(options, {}, nullptr);
      for (const StoredRow& row : allRows(*source->openSegment(mapping, {}, boundary))) {
        Change read;
        read.key = row.key;
        read.payload = row.payload;
        read.isRead = true;
        read.position = boundary.position;
        delivered.push_back(std::move(read));
      }
      source->confirmRead(boundary, {});
    }
  }
  LogicalStream stream(server.connection(), "stream");
  const std::vector<Change> changes = changesOf(stream.readAll(), mapping);
  ASSERT_GT(changes.size(), 300u);
  delivered.insert(delivered.end(), changes.begin(), changes.end());

  const std::vector<StoredRow> expected = allRows(*source->rows(mapping, {}));
  std::mt19937 random(7);
  for (int order = 0; order < 20; ++order) {
    GuardedTable table;
    table.applyChanges(delivered);
    for (int key = 0; key < kKeys; ++key) {
      const Key wanted{std::to_string(key)};
      const auto row = std::find_if(expected.begin(), expected.end(),
                                    [&](const StoredRow& candidate) { return candidate.key == wanted; });
      EXPECT_EQ(table.value(wanted), row == expected.end() ? "-" : row->payload.at(0).text) << "key " << key;
    }
    std::shuffle(delivered.begin(), delivered.end(), random);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, PostgresConvergence,
                         ::testing::Values(PositionScheme::Lsn, PositionScheme::CommitLsn),
                         [](const auto& scheme) { return scheme.param == PositionScheme::Lsn ? "lsn" : "commit_lsn"; });

}  // namespace
}  // namespace tidemark::test
