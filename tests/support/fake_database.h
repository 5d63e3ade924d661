#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/source/source.h"

namespace tidemark::test {

/// A Lsn mapping of a table with these key columns and as many text payload columns.
TableMapping fakeMapping(const std::vector<ColumnKind>& keyKinds, std::size_t payloadColumns = 1);
bool inRange(const std::vector<ColumnKind>& kinds, const KeyRange& range, const Key& key);

struct KeyOrder {
  std::vector<ColumnKind> kinds;
  bool operator()(const Key& a, const Key& b) const { return compareKeys(kinds, a, b) < 0; }
};

/// The filter of every scope whose `filter` (or `sinkFilter`) is not empty.
using FakeFilter = std::function<bool(const Key&, const Row&)>;

/// A source table in memory with a log: every change takes the next position and is returned as the stream would
/// deliver it. Thread-safe.
class FakeSourceTable {
 public:
  explicit FakeSourceTable(const TableMapping& mapping) : m_rows(KeyOrder{mapping.keyKinds()}) {}

  Change put(const Key& key, Row payload);
  Change remove(const Key& key);
  void restart();

  std::map<Key, Row, KeyOrder> snapshot() const;
  std::int64_t position() const;
  std::string serverStart() const;

 private:
  mutable std::mutex m_mutex;
  std::map<Key, Row, KeyOrder> m_rows;
  std::int64_t m_position = 1000;
  int m_lives = 1;
};

/// A connection to a FakeSourceTable. Strict: streams see their snapshot, one stream at a time and no other call
/// meanwhile, streams stay on the thread that opened them, reads are refused under a boundary of another life.
class FakeSource final : public Source {
 public:
  explicit FakeSource(FakeSourceTable& table, FakeFilter filter = {}) : m_table(table), m_filter(std::move(filter)) {}

  std::vector<DigestMethod> methods;       ///< What digestMethods() answers.
  std::optional<std::uint64_t> failAfter;  ///< Segment streams throw after this many rows.
  bool descending = false;                 ///< rows() and segments break their promise of order.

  TableShape describe(const TableName&) override { return {}; }
  TableEstimate estimate(const TableMapping&, const Scope&) override { return {}; }
  std::vector<Finding> inspect(const TableMapping&, const Scope&) override { return {}; }
  std::vector<Finding> inspectLog() override { return {}; }
  Lineage lineage() override { return {}; }
  std::int64_t newestPosition() override { return m_table.position(); }
  std::optional<bool> unchangedSince(const TableMapping&, const Boundary& boundary) override;
  Boundary captureBoundary(const BoundaryOptions& options, std::stop_token, const BoundaryObserver&) override;
  std::unique_ptr<SegmentStream> openSegment(const TableMapping&, const Scope&, const Boundary&) override;
  void confirmRead(const Boundary& boundary, std::stop_token) override;
  std::vector<StoredRow> readKeys(const TableMapping&, std::span<const Key>, const Boundary&) override;
  std::uint64_t countKeys(const TableMapping&, const KeyRange&) override;
  std::unique_ptr<RowStream> rows(const TableMapping&, const Scope&) override;
  std::vector<KeyRange> splitRange(const TableMapping&, const KeyRange&, std::uint64_t rowsPerRange) override;
  std::optional<RangeDigest> digest(const TableMapping&, const Scope&, DigestMethod) override;
  std::vector<DigestMethod> digestMethods(const TableMapping&) override { return methods; }
  std::string loadStatement(const TableMapping&, const Scope&) override { return {}; }
  void checkFilter(const TableMapping&, const std::string&) override {}
  std::string describeConnection() override { return "memory"; }
  std::unique_ptr<Source> clone() override;

 private:
  void requireIdle() const;
  void requireBoundary(const Boundary& boundary) const;
  bool passes(const Scope& scope, const Key& key, const Row& payload) const;

  FakeSourceTable& m_table;
  FakeFilter m_filter;
  std::shared_ptr<bool> m_streaming = std::make_shared<bool>(false);
};

/// A sink table in memory. Thread-safe.
struct FakeSinkTable {
  explicit FakeSinkTable(const TableMapping& mapping)
      : rows(KeyOrder{mapping.keyKinds()}), notes(KeyOrder{mapping.keyKinds()}) {}

  mutable std::mutex mutex;
  std::map<Key, StoredRow, KeyOrder> rows;  ///< Markers included.
  std::map<Key, Position, KeyOrder> notes;  ///< Keys to read, with the position of the change noted.

  std::map<Key, Row, KeyOrder> live() const;
  /// Puts a row whatever is there: damage for tests to find.
  void set(const Key& key, Row payload, std::int64_t position);
  void setMarker(const Key& key, std::int64_t position);
  void lose(const Key& key);
};

/// A connection to a FakeSinkTable that applies through the engine's guard. Strict: only the thread that made it may
/// call it, and not while a stream of it is open.
class FakeSink final : public Sink {
 public:
  explicit FakeSink(FakeSinkTable& table, FakeFilter filter = {}) : m_table(table), m_filter(std::move(filter)) {}

  std::vector<DigestMethod> methods;
  std::optional<int> failAfter;          ///< apply() throws after this many batches, before it changes anything.
  std::chrono::milliseconds latency{0};  ///< How long a batch takes at least.
  std::vector<std::size_t> batches;      ///< Sizes of the batches that were applied.

  TableShape describe(const TableName&) override { return {}; }
  std::vector<Finding> inspect(const TableMapping&, const Scope&) override { return {}; }
  std::optional<Lineage> storedLineage(const TableMapping&) override { return std::nullopt; }
  std::optional<Position> newestPosition(const TableMapping&) override { return std::nullopt; }
  std::optional<Position> lowestPosition(const TableMapping&) override { return std::nullopt; }
  std::uint64_t countLive(const TableMapping&, const Scope&) override { return m_table.live().size(); }
  std::uint64_t countMarkers(const TableMapping&, const KeyRange&) override { return 0; }
  std::unique_ptr<RowStream> rows(const TableMapping&, const Scope&, SinkRows, const Position&, bool) override;
  std::vector<StoredRow> readKeys(const TableMapping&, std::span<const Key>) override;
  std::optional<RangeDigest> digest(const TableMapping&, const Scope&, DigestMethod) override;
  std::vector<DigestMethod> digestMethods(const TableMapping&) override { return methods; }
  void checkFilter(const TableMapping&, const std::string&) override {}
  std::unique_ptr<SinkReader> cloneReader() override { return copy(); }
  std::string describeConnection() override { return "memory"; }

  std::vector<std::string> schemaStatements() override { return {}; }
  void ensureSchema() override {}
  void lockTable(const TableMapping&, const LockHolder&) override {}
  void unlockTable(const TableMapping&, const std::string&) override {}
  std::optional<LockHolder> lockHolder(const TableMapping&) override { return std::nullopt; }
  void breakLock(const TableMapping&) override {}
  void storeLineage(const TableMapping&, const Lineage&) override {}
  ApplyResult apply(const TableMapping&, std::span<const Change>) override;
  std::vector<Key> keysToRead(const TableMapping&, std::size_t limit) override;
  void noteKeysToRead(const TableMapping&, std::span<const Key>, const std::string&) override;
  void clearKeysToRead(const TableMapping&, std::span<const Key>, const Position& readAt) override;
  SweepPreview previewSweep(const TableMapping&, const SweepRequest&, KeyListReader&, std::stop_token,
                            ProgressSink&) override;
  std::string sweepStatement(const TableMapping&, const SweepRequest&) override { return {}; }
  SweepResult commitSweep(const TableMapping&, const SweepRequest&, std::uint64_t) override { return {}; }
  std::uint64_t beforeImages(const std::string&) override { return 0; }
  std::vector<Key> beforeImageKeys(const TableMapping&, const std::string&) override { return {}; }
  UndoResult undoSweep(const TableMapping&, const std::string&) override { return {}; }
  void forgetRun(const std::string&) override {}
  std::unique_ptr<Sink> cloneSink() override { return copy(); }

 private:
  void requireUsable() const;
  std::unique_ptr<FakeSink> copy() const;

  FakeSinkTable& m_table;
  FakeFilter m_filter;
  std::thread::id m_owner = std::this_thread::get_id();
  std::shared_ptr<bool> m_streaming = std::make_shared<bool>(false);
};

}  // namespace tidemark::test
