#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "engine/event/change.h"
#include "engine/load/load.h"
#include "engine/source/source.h"

namespace tidemark {

/// Consecutive keys of a segment: rows of the filter as changes at B, and the keys between them that are outside it.
struct SegmentBatch {
  struct OutsideFilter {
    std::size_t before = 0;  ///< Index of the change that follows the key.
    Key key;
  };

  std::vector<Change> changes;
  std::vector<OutsideFilter> outside;

  std::uint64_t keyCount() const { return changes.size() + outside.size(); }
  /// Calls `take(key)` for every key, in key order.
  template <typename Take>
  void forEachKey(Take take) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i <= changes.size(); ++i) {
      for (; next < outside.size() && outside[next].before == i; ++next) take(outside[next].key);
      if (i < changes.size()) take(changes[i].key);
    }
  }
};

/// Reads a segment on a thread of its own, a few batches ahead, so that reading and applying overlap. The thread is
/// the only user of the source until finish() or the destructor has returned.
class SegmentReader {
 public:
  SegmentReader(Source& source, const LoadRequest& request, std::size_t batchRows);
  ~SegmentReader();
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  /// Waits for the next batch; false at the end of the segment. Throws Cancelled, or what the source threw.
  bool next(SegmentBatch& batch, std::stop_token stop);
  /// Ends reading, gives up the snapshot and returns how many rows of `covered` it held (SegmentStream).
  std::uint64_t finish(const KeyRange& covered);

 private:
  void run(std::stop_token stop);
  void readBatches(SegmentStream& stream, std::stop_token stop);
  bool fill(SegmentStream& stream, SegmentBatch& batch);
  bool push(SegmentBatch batch, std::stop_token stop);
  void requireAscending(const Key& key);

  Source& m_source;
  const LoadRequest& m_request;
  const std::size_t m_batchRows;
  const std::vector<ColumnKind> m_kinds;
  std::optional<Key> m_previous;  ///< The reading thread's.

  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  std::deque<SegmentBatch> m_ready;
  bool m_atEnd = false;
  std::optional<KeyRange> m_covered;  ///< Set: end reading and count.
  std::optional<std::uint64_t> m_count;
  std::exception_ptr m_error;
  std::jthread m_thread;  ///< Last: stops before the rest goes.
};

}  // namespace tidemark
