#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

#include "engine/apply/sink.h"
#include "engine/core/progress.h"
#include "engine/keys/key_list.h"
#include "engine/source/source.h"

namespace tidemark {

/// How fast a load may go (step 8). Zero means no limit.
struct Pace {
  std::size_t batchRows = 10000;
  std::uint64_t rowsPerSecond = 0;
  std::chrono::milliseconds maximumSinkLatency{0};  ///< Slower batches pause the load until one is faster again.
  std::chrono::seconds longestPause{60};            ///< A pause that would hold the snapshot longer ends the segment.
};

/// Pause, resume and their causes, shared between the screen and a running load. Thread-safe.
class PauseControl {
 public:
  void pause(std::string cause);
  void resume();
  bool paused() const;
  std::string cause() const;
  /// Waits while paused; returns false when `limit` passed or `stop` was requested first.
  bool waitWhilePaused(std::stop_token stop, std::chrono::milliseconds limit);

 private:
  mutable std::mutex m_mutex;
  std::condition_variable_any m_changed;
  bool m_paused = false;
  std::string m_cause;
};

/// One segment of a load: a disjoint key range with its own snapshot, boundary and key list (law, rule 5).
struct Segment {
  int number = 1;
  KeyRange range;  ///< What this segment covers in the end; shorter than asked for when it was ended early.
  Boundary boundary;
  KeyListCheckpoint keys;
  std::string keyFile;         ///< File name beside the journal.
  std::uint64_t rowsRead = 0;  ///< Keys read, whether in the filter or not.
  std::uint64_t rowsLoaded = 0;
  ApplyCounts counts;
  /// Rows of `range` by a count in the segment's own snapshot; empty when a crash took the snapshot before.
  std::optional<std::uint64_t> keysAtSource;
  /// Everything in `range` is applied, its key list closed and the read confirmed (rule 4.5): it may be swept.
  bool closed = false;
  bool complete = false;  ///< Closed, and covers the whole range that was asked for.
};

struct LoadRequest {
  TableMapping mapping;
  Scope scope;        ///< `scope.range` is what is left to load.
  Boundary boundary;  ///< Captured for this segment.
  int segmentNumber = 1;
  std::filesystem::path keyFile;
  Pace pace;
  std::optional<std::uint64_t> expectedRows;  ///< For the progress only.
};

/// Called after each committed batch, on the load's thread: the journal keeps the segment as it stands.
using SegmentCheckpoint = std::function<void(const Segment&)>;

/// Loads one segment: reads the range in one snapshot, stamps the rows with B, applies them through the guard and
/// spools the key list in the same pass. Rows of the sink whose source row has left the filter are read again and
/// loaded too (law, rule 6). Returns a complete segment, or one that covers less than was asked for when a pause
/// outlasted Pace::longestPause (`closed`, not `complete`); the caller goes on with a new segment after `range.to`.
/// While the control is paused at the start, it waits without a snapshot, as long as it takes. The source is read on a
/// thread of its own; sink, checkpoint and progress are only used on the calling thread. Throws Cancelled, or Error of
/// source or sink; what was committed and checkpointed stays.
Segment loadSegment(Source& source, Sink& sink, const LoadRequest& request, PauseControl& control,
                    const SegmentCheckpoint& checkpoint, std::stop_token stop, ProgressSink& progress);

/// Closes a segment that a crash interrupted at its last checkpoint, so that the next one goes on after it: cuts the
/// key list, loads what has left the filter, confirms the read (rule 4.5). `request` is the one of the interrupted
/// load. Throws Error "boundary.server_restarted": the segment must be loaded anew; "load.nothing_to_close" when no
/// key was checkpointed: likewise.
Segment closeInterruptedSegment(Source& source, Sink& sink, const LoadRequest& request, const Segment& atCheckpoint,
                                std::stop_token stop, ProgressSink& progress);

/// The part of `whole` that lies after the segment; empty when nothing is left. A segment that does not cover its
/// range ends at its last key.
std::optional<KeyRange> rangeAfter(const KeyRange& whole, const Segment& segment, bool segmentCoversItsRange);

/// Refuses an incomplete key list with Error "keys.count_differs" that names both numbers: it is the one way to delete
/// live rows. Compares exactly with the count of the segment's own snapshot; without one (after a crash) with the
/// source's count if nobody has changed the table since. Otherwise numbers prove nothing: then every key that the
/// source has and the list lacks must be newer than B in the sink, or unknown to it, which once the stream has drained
/// is so for every row inserted since.
void checkKeyCount(Source& source, SinkReader& sink, const TableMapping& mapping, const Segment& segment,
                   const std::filesystem::path& keyFile, std::stop_token stop);

}  // namespace tidemark
