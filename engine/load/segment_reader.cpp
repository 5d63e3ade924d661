#include "engine/load/segment_reader.h"

#include "engine/core/error.h"

namespace tidemark {

namespace {
constexpr std::size_t kBatchesAhead = 3;
// With a selective filter, a batch ends after this many times its rows in keys, so that checkpoints keep coming.
constexpr std::size_t kKeysPerRow = 8;
}  // namespace

SegmentReader::SegmentReader(Source& source, const LoadRequest& request, std::size_t batchRows)
    : m_source(source), m_request(request), m_batchRows(batchRows), m_kinds(request.mapping.keyKinds()) {
  m_thread = std::jthread([this](std::stop_token stop) { run(stop); });
}

SegmentReader::~SegmentReader() = default;

bool SegmentReader::next(SegmentBatch& batch, std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  const bool woken = m_changed.wait(lock, stop, [this] { return m_error || !m_ready.empty() || m_atEnd; });
  if (!woken || stop.stop_requested()) throw Cancelled();
  if (m_error) std::rethrow_exception(m_error);
  if (m_ready.empty()) return false;
  batch = std::move(m_ready.front());
  m_ready.pop_front();
  m_changed.notify_all();
  return true;
}

std::uint64_t SegmentReader::finish(const KeyRange& covered) {
  {
    const std::lock_guard lock(m_mutex);
    m_covered = covered;
  }
  m_changed.notify_all();
  m_thread.join();
  if (m_error) std::rethrow_exception(m_error);
  return m_count.value();
}

void SegmentReader::run(std::stop_token stop) {
  try {
    const std::unique_ptr<SegmentStream> stream =
        m_source.openSegment(m_request.mapping, m_request.scope, m_request.boundary);
    readBatches(*stream, stop);
    std::optional<KeyRange> covered;
    {
      std::unique_lock lock(m_mutex);
      m_atEnd = true;
      m_changed.notify_all();
      m_changed.wait(lock, stop, [this] { return m_covered.has_value(); });
      covered = m_covered;
    }
    if (covered) m_count = stream->countInSnapshot(*covered);
  } catch (...) {
    const std::lock_guard lock(m_mutex);
    m_error = std::current_exception();
    m_changed.notify_all();
  }
}

void SegmentReader::readBatches(SegmentStream& stream, std::stop_token stop) {
  bool more = true;
  while (more && !stop.stop_requested()) {
    SegmentBatch batch;
    more = fill(stream, batch);
    if (batch.keyCount() > 0 && !push(std::move(batch), stop)) return;
  }
}

bool SegmentReader::fill(SegmentStream& stream, SegmentBatch& batch) {
  batch.changes.reserve(m_batchRows);
  StoredRow row;
  while (batch.changes.size() < m_batchRows && batch.keyCount() < m_batchRows * kKeysPerRow) {
    if (!stream.next(row)) return false;
    requireAscending(row.key);
    if (!row.inFilter) {
      batch.outside.push_back({batch.changes.size(), std::move(row.key)});
      continue;
    }
    Change& change = batch.changes.emplace_back();
    change.key = std::move(row.key);
    change.payload = std::move(row.payload);
    change.isRead = true;
    change.position = m_request.boundary.position;
  }
  return true;
}

bool SegmentReader::push(SegmentBatch batch, std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  const bool room = m_changed.wait(lock, stop, [this] { return m_covered || m_ready.size() < kBatchesAhead; });
  if (!room || m_covered) return false;
  m_ready.push_back(std::move(batch));
  m_changed.notify_all();
  return true;
}

void SegmentReader::requireAscending(const Key& key) {
  if (m_previous && compareKeys(m_kinds, *m_previous, key) != std::strong_ordering::less) {
    ErrorDetail detail;
    detail.hint = "The key's order at the source is not the one that Tidemark knows: check the key columns' collation.";
    throw Error("source.key_order",
                "the source delivered key " + displayKey(key) + " after key " + displayKey(*m_previous), detail);
  }
  m_previous = key;
}

}  // namespace tidemark
