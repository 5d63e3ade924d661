#include "tests/support/fake_database.h"

#include <algorithm>
#include <stdexcept>

#include "engine/apply/guard.h"
#include "engine/core/error.h"
#include "engine/verify/row_hash.h"
#include "tests/support/guard_counts.h"

namespace tidemark::test {

namespace {

/// A use that a real connection would not survive.
[[noreturn]] void misuse(const std::string& what) {
  throw std::logic_error("misused fake: " + what);
}

/// Rows that were copied when the stream was opened.
class SnapshotRows final : public SegmentStream {
 public:
  SnapshotRows(std::vector<StoredRow> rows, std::shared_ptr<bool> streaming)
      : m_rows(std::move(rows)), m_streaming(std::move(streaming)) {
    *m_streaming = true;
  }
  ~SnapshotRows() override { *m_streaming = false; }

  std::optional<std::uint64_t> failAfter;
  std::function<std::uint64_t(const KeyRange&)> count;

  bool next(StoredRow& row) override {
    requireThread();
    if (m_ended) misuse("next() after countInSnapshot()");
    if (failAfter && m_at == *failAfter) throw Error("source.connection_lost", "the source went away");
    if (m_at == m_rows.size()) return false;
    row = m_rows[m_at++];
    return true;
  }

  std::uint64_t countInSnapshot(const KeyRange& range) override {
    requireThread();
    m_ended = true;
    return count(range);
  }

 private:
  void requireThread() const {
    if (std::this_thread::get_id() != m_thread) misuse("a stream was used on another thread");
  }

  std::vector<StoredRow> m_rows;
  std::shared_ptr<bool> m_streaming;
  std::thread::id m_thread = std::this_thread::get_id();
  std::size_t m_at = 0;
  bool m_ended = false;
};

RangeDigest digestOf(RowStream& rows) {
  RangeDigest digest;
  StoredRow row;
  while (rows.next(row)) addRow(digest, rowHash(row.key, row.payload));
  return digest;
}

}  // namespace

TableMapping fakeMapping(const std::vector<ColumnKind>& keyKinds, std::size_t payloadColumns) {
  TableMapping mapping;
  mapping.source = {"public", "orders"};
  mapping.sink = {"public", "orders"};
  for (const ColumnKind kind : keyKinds) {
    const std::string name = "k" + std::to_string(mapping.key.size() + 1);
    mapping.key.push_back({name, name, ColumnType{kind, std::string(kindName(kind)), {}}});
  }
  for (std::size_t i = 1; i <= payloadColumns; ++i) {
    const std::string name = "v" + std::to_string(i);
    mapping.payload.push_back({name, name, ColumnType{ColumnKind::Text, "text", {}}});
  }
  mapping.positionColumns = {"position"};
  mapping.markerColumn = "deleted";
  return mapping;
}

bool inRange(const std::vector<ColumnKind>& kinds, const KeyRange& range, const Key& key) {
  if (range.from) {
    const auto order = compareKeys(kinds, key, range.from->key);
    if (order < 0 || (order == 0 && !range.from->inclusive)) return false;
  }
  if (range.to) {
    const auto order = compareKeys(kinds, key, range.to->key);
    if (order > 0 || (order == 0 && !range.to->inclusive)) return false;
  }
  return true;
}

Change FakeSourceTable::put(const Key& key, Row payload) {
  const std::lock_guard lock(m_mutex);
  m_rows[key] = payload;
  Change change;
  change.key = key;
  change.payload = std::move(payload);
  change.lsn = ++m_position;
  change.position = {{change.lsn, 0, 0}};
  return change;
}

Change FakeSourceTable::remove(const Key& key) {
  const std::lock_guard lock(m_mutex);
  if (m_rows.erase(key) == 0) misuse("a delete of a row that is not there");
  Change change;
  change.key = key;
  change.deleted = true;
  change.lsn = ++m_position;
  change.position = {{change.lsn, 0, 0}};
  return change;
}

void FakeSourceTable::restart() {
  const std::lock_guard lock(m_mutex);
  ++m_lives;
}

std::map<Key, Row, KeyOrder> FakeSourceTable::snapshot() const {
  const std::lock_guard lock(m_mutex);
  return m_rows;
}

std::int64_t FakeSourceTable::position() const {
  const std::lock_guard lock(m_mutex);
  return m_position;
}

std::string FakeSourceTable::serverStart() const {
  const std::lock_guard lock(m_mutex);
  return "life " + std::to_string(m_lives);
}

void FakeSource::requireIdle() const {
  if (*m_streaming) misuse("the source was called while it streams");
}

void FakeSource::requireBoundary(const Boundary& boundary) const {
  if (boundary.serverStart.empty()) misuse("a stamped read without a boundary");
  if (boundary.low > m_table.position() + 1) misuse("a boundary from the future");
}

bool FakeSource::passes(const Scope& scope, const Key& key, const Row& payload) const {
  return !scope.filtered() || m_filter(key, payload);
}

std::optional<bool> FakeSource::unchangedSince(const TableMapping&, const Boundary& boundary) {
  requireIdle();
  return m_table.position() < boundary.low;
}

Boundary FakeSource::captureBoundary(const BoundaryOptions& options, std::stop_token, const BoundaryObserver&) {
  requireIdle();
  Boundary boundary;
  // As on a quiet server: the very next change gets exactly this position.
  boundary.low = m_table.position() + 1;
  boundary.position = boundaryPosition(options.scheme, boundary.low);
  boundary.serverStart = m_table.serverStart();
  return boundary;
}

std::unique_ptr<SegmentStream> FakeSource::openSegment(const TableMapping& mapping, const Scope& scope,
                                                       const Boundary& boundary) {
  requireIdle();
  requireBoundary(boundary);
  const auto snapshot = m_table.snapshot();
  std::vector<StoredRow> rows;
  for (const auto& [key, payload] : snapshot) {
    if (!inRange(mapping.keyKinds(), scope.range, key)) continue;
    const bool passed = passes(scope, key, payload);
    rows.push_back({key, passed ? payload : Row{}, kNoPosition, false, passed});
  }
  if (descending) std::reverse(rows.begin(), rows.end());
  auto stream = std::make_unique<SnapshotRows>(std::move(rows), m_streaming);
  stream->failAfter = failAfter;
  stream->count = [snapshot, kinds = mapping.keyKinds()](const KeyRange& range) {
    return static_cast<std::uint64_t>(std::count_if(snapshot.begin(), snapshot.end(),
                                                    [&](const auto& row) { return inRange(kinds, range, row.first); }));
  };
  return stream;
}

void FakeSource::confirmRead(const Boundary& boundary, std::stop_token) {
  requireIdle();
  if (boundary.serverStart != m_table.serverStart()) {
    throw Error("boundary.server_restarted", "the source was restarted while it was read");
  }
}

std::vector<StoredRow> FakeSource::readKeys(const TableMapping& mapping, std::span<const Key> keys,
                                            const Boundary& boundary) {
  requireIdle();
  if (boundary.low != 0) requireBoundary(boundary);
  const auto snapshot = m_table.snapshot();
  const KeyOrder order{mapping.keyKinds()};
  std::vector<StoredRow> rows;
  for (const Key& key : keys) {
    const auto found = snapshot.find(key);
    if (found != snapshot.end()) rows.push_back({key, found->second, kNoPosition, false, true});
  }
  std::sort(rows.begin(), rows.end(), [&](const StoredRow& a, const StoredRow& b) { return order(a.key, b.key); });
  return rows;
}

std::uint64_t FakeSource::countKeys(const TableMapping& mapping, const KeyRange& range) {
  requireIdle();
  std::uint64_t count = 0;
  for (const auto& [key, payload] : m_table.snapshot()) count += inRange(mapping.keyKinds(), range, key) ? 1 : 0;
  return count;
}

std::unique_ptr<RowStream> FakeSource::rows(const TableMapping& mapping, const Scope& scope) {
  requireIdle();
  std::vector<StoredRow> rows;
  for (const auto& [key, payload] : m_table.snapshot()) {
    if (inRange(mapping.keyKinds(), scope.range, key) && passes(scope, key, payload)) {
      rows.push_back({key, payload, kNoPosition, false, true});
    }
  }
  if (descending) std::reverse(rows.begin(), rows.end());
  return std::make_unique<SnapshotRows>(std::move(rows), m_streaming);
}

std::vector<KeyRange> FakeSource::splitRange(const TableMapping& mapping, const KeyRange& range,
                                             std::uint64_t rowsPerRange) {
  requireIdle();
  std::vector<KeyRange> ranges{range};
  std::uint64_t rows = 0;
  for (const auto& [key, payload] : m_table.snapshot()) {
    if (!inRange(mapping.keyKinds(), range, key) || ++rows % rowsPerRange != 0) continue;
    ranges.back().to = KeyBound{key, true};
    ranges.push_back({KeyBound{key, false}, range.to});
  }
  return ranges;
}

std::optional<RangeDigest> FakeSource::digest(const TableMapping& mapping, const Scope& scope, DigestMethod) {
  return digestOf(*rows(mapping, scope));
}

std::unique_ptr<Source> FakeSource::clone() {
  auto copy = std::make_unique<FakeSource>(m_table, m_filter);
  copy->methods = methods;
  copy->failAfter = failAfter;
  copy->descending = descending;
  return copy;
}

std::map<Key, Row, KeyOrder> FakeSinkTable::live() const {
  const std::lock_guard lock(mutex);
  std::map<Key, Row, KeyOrder> result(rows.key_comp());
  for (const auto& [key, row] : rows) {
    if (!row.deleted) result[key] = row.payload;
  }
  return result;
}

void FakeSinkTable::set(const Key& key, Row payload, std::int64_t position) {
  const std::lock_guard lock(mutex);
  rows[key] = {key, std::move(payload), {{position, 0, 0}}, false, true};
}

void FakeSinkTable::setMarker(const Key& key, std::int64_t position) {
  const std::lock_guard lock(mutex);
  rows[key] = {key, {}, {{position, 0, 0}}, true, true};
}

void FakeSinkTable::lose(const Key& key) {
  const std::lock_guard lock(mutex);
  rows.erase(key);
}

void FakeSink::requireUsable() const {
  if (std::this_thread::get_id() != m_owner) misuse("the sink was called on another thread");
  if (*m_streaming) misuse("the sink was called while it streams");
}

std::unique_ptr<FakeSink> FakeSink::copy() const {
  auto result = std::make_unique<FakeSink>(m_table, m_filter);
  result->methods = methods;
  return result;
}

std::unique_ptr<RowStream> FakeSink::rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                          const Position& boundary, bool withPayload) {
  requireUsable();
  const std::lock_guard lock(m_table.mutex);
  std::vector<StoredRow> rows;
  for (const auto& [key, row] : m_table.rows) {
    if (row.deleted || !inRange(mapping.keyKinds(), scope.range, key)) continue;
    if (which == SinkRows::LiveBelow && !(row.position < boundary)) continue;
    if (!scope.sinkFilter.empty() && !m_filter(key, row.payload)) continue;
    rows.push_back(row);
    if (!withPayload) rows.back().payload.clear();
  }
  return std::make_unique<SnapshotRows>(std::move(rows), m_streaming);
}

std::vector<StoredRow> FakeSink::readKeys(const TableMapping& mapping, std::span<const Key> keys) {
  requireUsable();
  const std::lock_guard lock(m_table.mutex);
  const KeyOrder order{mapping.keyKinds()};
  std::vector<StoredRow> rows;
  for (const Key& key : keys) {
    const auto found = m_table.rows.find(key);
    if (found != m_table.rows.end()) rows.push_back(found->second);
  }
  std::sort(rows.begin(), rows.end(), [&](const StoredRow& a, const StoredRow& b) { return order(a.key, b.key); });
  return rows;
}

std::optional<RangeDigest> FakeSink::digest(const TableMapping& mapping, const Scope& scope, DigestMethod) {
  return digestOf(*rows(mapping, scope, SinkRows::Live, kNoPosition, true));
}

ApplyResult FakeSink::apply(const TableMapping& mapping, std::span<const Change> batch) {
  requireUsable();
  if (batch.empty()) misuse("an empty batch");
  if (failAfter && (*failAfter)-- == 0) throw Error("sink.connection_lost", "the sink went away");
  const auto until = std::chrono::steady_clock::now() + latency;
  while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  const std::lock_guard lock(m_table.mutex);
  ApplyResult result;
  for (const Change& change : batch) {
    if (change.payload.size() != (change.deleted ? 0 : mapping.payload.size())) misuse("a payload of the wrong size");
    const auto stored = m_table.rows.find(change.key);
    const GuardVerdict verdict =
        guard(stored == m_table.rows.end() ? nullptr : &stored->second.position, change.position);
    if (!countVerdict(verdict, change.deleted, result.counts)) continue;
    m_table.rows[change.key] = {change.key, change.payload, change.position, change.deleted, true};
  }
  batches.push_back(batch.size());
  return result;
}

std::vector<Key> FakeSink::keysToRead(const TableMapping&, std::size_t limit) {
  requireUsable();
  std::vector<Key> keys;
  for (const auto& [key, position] : m_table.notes) {
    if (keys.size() < limit) keys.push_back(key);
  }
  return keys;
}

void FakeSink::noteKeysToRead(const TableMapping&, std::span<const Key> keys, const std::string&) {
  requireUsable();
  for (const Key& key : keys) m_table.notes.emplace(key, kNoPosition);
}

void FakeSink::clearKeysToRead(const TableMapping&, std::span<const Key> keys, const Position& readAt) {
  requireUsable();
  for (const Key& key : keys) {
    const auto note = m_table.notes.find(key);
    if (note != m_table.notes.end() && note->second < readAt) m_table.notes.erase(note);
  }
}

SweepPreview FakeSink::previewSweep(const TableMapping&, const SweepRequest&, KeyListReader&, std::stop_token,
                                    ProgressSink&) {
  misuse("no sweep in this fake");
}

}  // namespace tidemark::test
