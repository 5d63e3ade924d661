#include "engine/core/error.h"
#include "engine/load/filter_leavers.h"
#include "engine/load/load.h"

namespace tidemark {

Segment closeInterruptedSegment(Source& source, Sink& sink, const LoadRequest& request, const Segment& atCheckpoint,
                                std::stop_token stop, ProgressSink& progress) {
  if (atCheckpoint.keys.summary.count == 0) {
    ErrorDetail detail;
    detail.hint = "Load the segment anew: nothing of it was committed.";
    throw Error("load.nothing_to_close",
                "segment " + std::to_string(atCheckpoint.number) + " was interrupted before its first checkpoint",
                detail);
  }
  ProgressMeter meter(progress, "load");
  Segment segment = atCheckpoint;
  segment.range = KeyRange{request.scope.range.from, KeyBound{segment.keys.last, true}};
  KeyListWriter::reopen(request.keyFile, segment.keys)->close();
  loadFilterLeavers(source, sink, request, segment, {}, stop, meter);
  source.confirmRead(segment.boundary, stop);
  segment.closed = true;
  segment.complete = false;
  meter.finish();
  return segment;
}

std::optional<KeyRange> rangeAfter(const KeyRange& whole, const Segment& segment, bool segmentCoversItsRange) {
  if (segmentCoversItsRange) {
    if (!segment.range.to || segment.range.to == whole.to) return std::nullopt;
    return KeyRange{KeyBound{segment.range.to->key, !segment.range.to->inclusive}, whole.to};
  }
  if (segment.keys.summary.count == 0) return KeyRange{segment.range.from, whole.to};
  if (whole.to && whole.to->key == segment.keys.last) return std::nullopt;
  return KeyRange{KeyBound{segment.keys.last, false}, whole.to};
}

}  // namespace tidemark
