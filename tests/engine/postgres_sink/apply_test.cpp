#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "tests/engine/postgres_sink/postgres_database.h"

namespace tidemark::test {
namespace {

class PostgresApply : public testing::Test {
 protected:
  PostgresApply() : m_sink(openPostgresSink(m_database.connection())) {
    m_sink->ensureSchema();
    m_database.sql(kCreateOrders);
  }
  std::string state() {
    return m_database.sql(
        "SELECT string_agg(id || ':' || coalesce(customer, '-') || ':' || coalesce(note, '-') || ':' "
        "|| deleted || ':' || lsn, ' ' ORDER BY id) FROM orders");
  }
  ApplyCounts apply(std::vector<Change> batch) { return m_sink->apply(ordersMapping(), batch).counts; }

  PostgresDatabase m_database;
  std::unique_ptr<Sink> m_sink;
};

TEST_F(PostgresApply, TellsEveryOutcomeApart) {
  apply({ordersRow(1, "a", 10), ordersRow(2, "b", 10), ordersRow(3, "c", 10), ordersRow(4, "d", 10)});
  const ApplyCounts counts = apply({ordersRow(1, "a2", 11), ordersRow(2, "late", 9), ordersRow(3, "same", 10),
                                    ordersRemoval(4, 12), ordersRow(5, "new", 3), ordersRemoval(6, 4)});
  EXPECT_EQ(counts.updated, 1U);
  EXPECT_EQ(counts.skippedOlder, 1U);
  EXPECT_EQ(counts.skippedEqual, 1U);
  EXPECT_EQ(counts.markedDeleted, 2U);
  EXPECT_EQ(counts.inserted, 1U);
  EXPECT_EQ(counts.total(), 6U);
  EXPECT_EQ(state(), "1:a2:-:false:11 2:b:-:false:10 3:c:-:false:10 4:-:-:true:12 5:new:-:false:3 6:-:-:true:4");
}

TEST_F(PostgresApply, CountsAreTheSameWhenABatchIsLookedAtBeforeItIsWritten) {
  std::vector<Change> batch;
  for (std::int64_t id = 1; id <= 20; ++id) batch.push_back(ordersRow(id, "x", 10));
  apply(batch);
  EXPECT_EQ(apply(batch).skippedEqual, 20U);  // From here on batches are looked at first.
  batch[0] = ordersRow(1, "newer", 11);
  batch[1] = ordersRow(2, "older", 9);
  batch[2] = ordersRemoval(3, 12);
  batch[3] = ordersRow(100, "fresh", 1);
  batch[4].payload[2] = Cell::leftOut();
  batch[4].position = Position{{13, 0, 0}};
  const ApplyCounts counts = apply(batch);
  EXPECT_EQ(counts.updated, 2U);
  EXPECT_EQ(counts.markedDeleted, 1U);
  EXPECT_EQ(counts.inserted, 1U);
  EXPECT_EQ(counts.skippedOlder, 1U);
  EXPECT_EQ(counts.skippedEqual, 15U);
  EXPECT_EQ(counts.total(), 20U);
}

TEST_F(PostgresApply, ALeftOutColumnKeepsTheStoredValueAndIsIncompleteWithoutOne) {
  Change whole = ordersRow(1, "a", 10);
  whole.payload[2] = Cell::of("long text");
  apply({whole, ordersRemoval(2, 10)});
  std::vector<Change> batch{ordersRow(1, "a2", 20), ordersRow(2, "b", 20), ordersRow(3, "c", 20),
                            ordersRow(4, "d", 20)};
  for (std::size_t i = 0; i < 3; ++i) batch[i].payload[2] = Cell::leftOut();
  const ApplyResult result = m_sink->apply(ordersMapping(), batch);
  EXPECT_EQ(result.counts.updated, 2U);
  EXPECT_EQ(result.counts.inserted, 2U);
  EXPECT_EQ(result.counts.incomplete, 2U);
  EXPECT_EQ(result.incomplete, (std::vector<Key>{{"2"}, {"3"}}));
  EXPECT_EQ(m_sink->keysToRead(ordersMapping(), 10), (std::vector<Key>{{"2"}, {"3"}}));
  EXPECT_EQ(state(), "1:a2:long text:false:20 2:b:-:false:20 3:c:-:false:20 4:d:-:false:20");
}

TEST_F(PostgresApply, ABatchIsAllOrNothing) {
  m_database.sql("ALTER TABLE orders ADD CHECK (customer <> 'refused')");
  EXPECT_THROW(apply({ordersRow(1, "a", 10), ordersRow(2, "refused", 10)}), Error);
  EXPECT_EQ(state(), "");
  EXPECT_EQ(apply({ordersRow(1, "a", 10)}).inserted, 1U) << "the session stays usable";
}

/// What the guard makes of a batch that holds no key twice.
ApplyCounts applyToModel(std::map<std::string, std::pair<std::int64_t, bool>>& model,
                         const std::vector<Change>& batch) {
  ApplyCounts counts;
  for (const Change& change : batch) {
    const std::int64_t lsn = change.position.element[0];
    const auto stored = model.find(change.key[0]);
    if (stored != model.end() && stored->second.first >= lsn) {
      ++(stored->second.first == lsn ? counts.skippedEqual : counts.skippedOlder);
      continue;
    }
    ++(change.deleted ? counts.markedDeleted : stored == model.end() ? counts.inserted : counts.updated);
    model[change.key[0]] = {lsn, change.deleted};
  }
  return counts;
}

TEST_F(PostgresApply, WhatABatchBecomesDoesNotDependOnTheBatchesBeforeIt) {
  std::mt19937 random(11);
  std::map<std::string, std::pair<std::int64_t, bool>> model;
  std::int64_t nextKey = 1;
  for (int number = 0; number < 300; ++number) {
    // Runs of one kind, so that the sink gets used to it, and then something else in the middle of a batch.
    const int kind = number / 4 % 3;
    const bool surprise = random() % 3 == 0;
    std::map<std::int64_t, Change> batch;
    for (int row = 0; row < 20; ++row) {
      const bool fresh = kind == 0 && !(surprise && row == 10);
      const std::int64_t id =
          fresh ? nextKey++ : 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(nextKey));
      std::int64_t lsn = kind == 1 ? 1000 + number : 500 + static_cast<std::int64_t>(random() % 20);
      if (surprise && row % 7 == 3) lsn = 400 + static_cast<std::int64_t>(random() % 1000);
      batch[id] = random() % 9 == 0 ? ordersRemoval(id, lsn) : ordersRow(id, "v" + std::to_string(number), lsn);
    }
    std::vector<Change> changes;
    for (auto& [id, change] : batch) changes.push_back(std::move(change));
    std::shuffle(changes.begin(), changes.end(), random);
    const ApplyCounts expected = applyToModel(model, changes);
    const ApplyCounts counts = apply(changes);
    ASSERT_EQ(counts.inserted, expected.inserted) << number;
    ASSERT_EQ(counts.updated, expected.updated) << number;
    ASSERT_EQ(counts.markedDeleted, expected.markedDeleted) << number;
    ASSERT_EQ(counts.skippedOlder, expected.skippedOlder) << number;
    ASSERT_EQ(counts.skippedEqual, expected.skippedEqual) << number;
  }
  std::map<std::int64_t, std::string> rows;
  for (const auto& [key, row] : model) {
    rows[std::stoll(key)] = key + ":" + std::to_string(row.first) + (row.second ? ":true" : ":false");
  }
  std::string expected;
  for (const auto& [id, row] : rows) expected += (expected.empty() ? "" : " ") + row;
  EXPECT_EQ(m_database.sql("SELECT string_agg(id || ':' || lsn || ':' || deleted, ' ' ORDER BY id) FROM orders"),
            expected);
}

TEST_F(PostgresApply, NewKeysAreNotWrittenPastAKeyWithoutItsIndex) {
  apply({ordersRow(1, "a", 10)});
  apply({ordersRow(2, "b", 10)});
  m_database.sql("ALTER TABLE orders DROP CONSTRAINT orders_pkey");
  EXPECT_THROW(apply({ordersRow(2, "late", 9), ordersRow(3, "c", 10)}), Error);
  EXPECT_EQ(state(), "1:a:-:false:10 2:b:-:false:10");
}

TEST_F(PostgresApply, SkippedRowsOfAReplayAreNotEvenLocked) {
  std::vector<Change> batch;
  for (std::int64_t id = 1; id <= 50; ++id) batch.push_back(ordersRow(id, "x", 10));
  apply(batch);
  apply(batch);
  m_database.sql("UPDATE orders SET note = note");  // New row versions, which nobody has locked.
  EXPECT_EQ(apply(batch).skippedEqual, 50U);
  EXPECT_EQ(m_database.sql("SELECT count(*) FROM orders WHERE xmax <> 0"), "0");
}

TEST_F(PostgresApply, ThePlanNeverScansTheSinkTable) {
  std::vector<Change> batch;
  for (std::int64_t id = 1; id <= 3000; ++id) batch.push_back(ordersRow(id, "x", 10));
  apply(batch);
  m_database.sql("ANALYZE orders; SELECT pg_stat_reset_single_table_counters('orders'::regclass)");
  for (std::int64_t lsn = 9; lsn <= 12; ++lsn) {
    for (Change& change : batch) change.position = Position{{lsn, 0, 0}};
    apply(batch);
  }
  m_sink.reset();  // A session reports its figures at the latest when it ends.
  std::string scans = "?";
  for (int i = 0; i < 1000 && scans != "0 t"; ++i) {
    scans = m_database.sql(
        "SELECT seq_scan || ' ' || (idx_scan > 0)::text::char(1) FROM pg_stat_user_tables WHERE "
        "relname = 'orders'");
  }
  EXPECT_EQ(scans, "0 t");
}

TEST_F(PostgresApply, InterleavedWritersOfTheSameKeysConverge) {
  constexpr int kWriters = 3;
  constexpr int kChanges = 3000;
  constexpr int kKeys = 40;
  std::mt19937 random(7);
  std::vector<Change> log;
  for (int lsn = 1; lsn <= kChanges; ++lsn) {
    const auto id = static_cast<std::int64_t>(random() % kKeys);
    log.push_back(random() % 5 == 0 ? ordersRemoval(id, lsn) : ordersRow(id, "v" + std::to_string(lsn), lsn));
  }
  std::atomic<std::uint64_t> total{0};
  std::atomic<int> failures{0};
  std::vector<std::jthread> writers;
  for (unsigned writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      try {
        const std::unique_ptr<Sink> sink = openPostgresSink(m_database.connection());
        std::vector<Change> mine = log;
        std::shuffle(mine.begin(), mine.end(), std::mt19937(writer));
        for (std::size_t at = 0; at < mine.size(); at += 25) {
          total +=
              sink->apply(ordersMapping(), std::span(mine).subspan(at, std::min<std::size_t>(25, mine.size() - at)))
                  .counts.total();
        }
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        ++failures;
      }
    });
  }
  writers.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(total, static_cast<std::uint64_t>(kWriters * kChanges));
  const std::string converged = state();
  m_database.sql("TRUNCATE orders");
  apply(log);
  EXPECT_EQ(converged, state());
}

}  // namespace
}  // namespace tidemark::test
