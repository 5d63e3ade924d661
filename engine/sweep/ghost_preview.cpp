#include "engine/sweep/ghost_preview.h"

#include "engine/core/error.h"

namespace tidemark {

namespace {

constexpr std::size_t kSampleRows = 20;
constexpr std::uint64_t kStopCheckRows = 4096;

/// One side of the merge: the current row, or the end.
struct Side {
  RowStream& stream;
  StoredRow row;
  bool open = false;

  void advance() { open = stream.next(row); }
};

}  // namespace

GhostPreview previewGhosts(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
                           const BoundaryOptions& options, const BoundaryObserver& observer, std::stop_token stop,
                           ProgressSink& progress, const std::function<void()>& beforeSink) {
  GhostPreview preview;
  preview.boundary = source.captureBoundary(options, stop, observer);
  preview.liveInScope = sink.countLive(mapping, scope);

  // Only the keys are wanted: a filter that no row satisfies keeps the payload at home.
  Scope keysOnly{scope.range, "1 = 0", {}};
  ProgressMeter meter(progress, "sweep preview", preview.liveInScope);
  {
    const auto sourceRows = source.openSegment(mapping, keysOnly, preview.boundary);
    if (beforeSink) beforeSink();
    const auto sinkRows = sink.rows(mapping, scope, SinkRows::LiveBelow, preview.boundary.position, true);
    const auto kinds = mapping.keyKinds();
    Side here{*sourceRows, {}, false};
    Side there{*sinkRows, {}, false};
    here.advance();
    there.advance();
    std::uint64_t steps = 0;
    while (here.open || there.open) {
      if (++steps % kStopCheckRows == 0 && stop.stop_requested()) throw Cancelled();
      const auto order = !here.open    ? std::strong_ordering::greater
                         : !there.open ? std::strong_ordering::less
                                       : compareKeys(kinds, here.row.key, there.row.key);
      if (order > 0) {
        ++preview.ghosts;
        if (preview.sample.size() < kSampleRows) preview.sample.push_back(there.row);
      }
      if (order >= 0) {
        there.advance();
        meter.advance(1);
      }
      if (order <= 0) {
        ++preview.sourceKeys;
        here.advance();
      }
    }
  }
  source.confirmRead(preview.boundary, stop);
  meter.finish();
  return preview;
}

}  // namespace tidemark
