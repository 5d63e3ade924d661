#include "engine/load/load.h"

#include <chrono>

#include "engine/core/error.h"
#include "engine/load/filter_leavers.h"
#include "engine/load/pacer.h"
#include "engine/load/segment_reader.h"

namespace tidemark {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// One call of loadSegment.
class SegmentLoad {
 public:
  SegmentLoad(Source& source, Sink& sink, const LoadRequest& request, PauseControl& control,
              const SegmentCheckpoint& checkpoint, ProgressSink& progress)
      : m_source(source),
        m_sink(sink),
        m_request(request),
        m_checkpoint(checkpoint),
        m_meter(progress, "load", request.expectedRows),
        m_pacer(request.pace, control, m_meter) {
    m_segment.number = request.segmentNumber;
    m_segment.range = request.scope.range;
    m_segment.boundary = request.boundary;
    m_segment.keyFile = request.keyFile.filename().string();
  }

  Segment run(std::stop_token stop) {
    m_pacer.beforeSnapshot(stop);
    KeyListWriter keys(m_request.keyFile);
    const bool wholeRange = readAndApply(keys, stop);
    m_segment.keys = keys.checkpoint();
    keys.close();
    loadFilterLeavers(m_source, m_sink, m_request, m_segment, m_checkpoint, stop, m_meter);
    m_source.confirmRead(m_request.boundary, stop);
    m_segment.closed = true;
    m_segment.complete = wholeRange;
    m_meter.finish();
    return m_segment;
  }

 private:
  /// False when a pause ended the segment before the end of its range.
  bool readAndApply(KeyListWriter& keys, std::stop_token stop) {
    SegmentReader reader(m_source, m_request, Pacer::batchRows(m_request.pace));
    SegmentBatch batch;
    bool wholeRange = true;
    while (wholeRange && reader.next(batch, stop)) {
      const milliseconds latency = apply(batch);
      record(batch, keys);
      wholeRange = m_pacer.afterBatch(batch.changes.size(), latency, stop) == Pacer::Verdict::GoOn;
    }
    if (!wholeRange) m_segment.range.to = KeyBound{m_segment.keys.last, true};
    m_segment.keysAtSource = reader.finish(m_segment.range);
    return wholeRange;
  }

  milliseconds apply(const SegmentBatch& batch) {
    if (batch.changes.empty()) return milliseconds(0);
    const auto start = steady_clock::now();
    m_segment.counts += m_sink.apply(m_request.mapping, batch.changes).counts;
    return duration_cast<milliseconds>(steady_clock::now() - start);
  }

  /// Keys enter the list only after their rows were committed: a list that is cut at a checkpoint never claims a row
  /// that was not loaded.
  void record(const SegmentBatch& batch, KeyListWriter& keys) {
    batch.forEachKey([&](const Key& key) { keys.add(key); });
    m_segment.keys = keys.checkpoint();
    m_segment.rowsRead += batch.keyCount();
    m_segment.rowsLoaded += batch.changes.size();
    if (m_checkpoint) m_checkpoint(m_segment);
    m_meter.advance(batch.changes.size(), displayKey(m_segment.keys.last));
  }

  Source& m_source;
  Sink& m_sink;
  const LoadRequest& m_request;
  const SegmentCheckpoint& m_checkpoint;
  ProgressMeter m_meter;
  Pacer m_pacer;
  Segment m_segment;
};

}  // namespace

Segment loadSegment(Source& source, Sink& sink, const LoadRequest& request, PauseControl& control,
                    const SegmentCheckpoint& checkpoint, std::stop_token stop, ProgressSink& progress) {
  return SegmentLoad(source, sink, request, control, checkpoint, progress).run(stop);
}

}  // namespace tidemark
