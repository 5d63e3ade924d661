#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <stop_token>
#include <string>

#include "engine/apply/sink.h"
#include "engine/core/progress.h"
#include "engine/event/event.h"

namespace tidemark {

struct StreamOptions {
  std::size_t batchRows = 10000;  ///< Changes a transaction; at least 1.
};

/// What became of a stream of change lines so far. Every line is counted once.
struct StreamResult {
  std::uint64_t lines = 0;          ///< Lines read.
  std::uint64_t committedLine = 0;  ///< Every line up to this one is done with; from the next one on, feed again.
  std::uint64_t changes = 0;        ///< Changes of the mapping's table that were handed to the sink and committed.
  std::uint64_t batches = 0;        ///< Transactions.
  std::uint64_t tombstones = 0;     ///< Follow a delete for the topic's compaction; the delete has said it all.
  std::uint64_t messages = 0;       ///< Logical decoding messages.
  std::map<std::string, std::uint64_t> otherTables;  ///< "schema.table" -> events that were skipped.
  ApplyCounts counts;
  bool complete = false;  ///< The input ended, and everything of it is committed.
};

/// Feeds change lines (engine/event/json_lines.h) to a sink, in transactions of StreamOptions::batchRows changes.
/// Doubtful and incomplete keys stand in the sink's list of keys to read again. Stops at the first line that cannot be
/// applied, after what stands before it was committed, and throws Error: "lines.cut_off", "lines.json" and "event.…"
/// with the line's number; "apply.truncate" for a truncate of the mapping's table, which stops and asks; the sink's
/// own. The error's technical detail says what was committed, and so does `result`, which is filled as the stream goes
/// on. Throws Cancelled when asked to stop: what was committed stays.
void applyStream(std::istream& input, const EventDecoder& decoder, const TableMapping& mapping, Sink& sink,
                 const StreamOptions& options, StreamResult& result, std::stop_token stop, ProgressSink& progress);

}  // namespace tidemark
