#include "runbook/drained.h"

#include <algorithm>

#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

constexpr std::size_t kKeysShown = 1000;

Gate segmentsGate(const RunState& run) {
  const auto segments = segmentsOf(run);
  const auto closed =
      std::count_if(segments.begin(), segments.end(), [](const SegmentRecord& s) { return s.segment.closed; });
  return check(loadComplete(run), "drained.segments", text("Every segment is applied and confirmed"),
               text("%1 of %2 segments", std::to_string(closed), std::to_string(segments.size())), text("journal"),
               text("Finish the load in step 9."));
}

Gate rereadGate(StepContext& context) {
  const auto keys = context.sink().keysToRead(context.mapping(), kKeysShown);
  const std::string more =
      keys.size() == kKeysShown ? text("%1 or more", std::to_string(kKeysShown)) : std::to_string(keys.size());
  return check(keys.empty(), "drained.keys_to_read", text("No key waits to be read again"), more, text("sink"),
               text("Keys that are doubtful or incomplete were noted since the load. Open step 9 again and perform "
                    "\"read again\"."));
}

// A transaction with a change below `low` ended before `settled`, and the stream delivers in order of commits: a
// change at or above `settled` has every such transaction before it.
Gate passedGate(StepContext& context) {
  const std::string title = text("The stream has passed the boundary");
  const auto segments = segmentsOf(context.state());
  if (segments.empty()) return unknown("drained.stream", title, text("Nothing was loaded yet."));
  std::int64_t settled = 0;
  bool unchanged = true;
  for (const SegmentRecord& each : segments) {
    settled = std::max({settled, each.segment.boundary.settled, each.segment.boundary.low});
    unchanged = unchanged && context.source().unchangedSince(context.mapping(), each.segment.boundary).value_or(false);
  }
  settled = std::max(settled, stampedUpTo(context.state()));
  const auto newest = context.reader().newestPosition(context.mapping());
  const std::string measured = newest ? displayPosition(context.mapping().scheme, *newest) : text("no row in the sink");
  const bool past = newest && newest->element[0] >= settled;
  Gate gate =
      check(past || unchanged, "drained.stream", title,
            past || !unchanged ? measured : text("source has not changed since the boundary"),
            past || !unchanged ? text("sink's newest position") : text("source"),
            text("Changes from before the boundary may still be on their way to the sink. Wait for the stream; if "
                 "it stands still, look after it first."));
  gate.limit = displayPosition(PositionScheme::Lsn, Position{{settled, 0, 0}});
  return gate;
}

}  // namespace

std::vector<Gate> drainedGates(StepContext& context) {
  std::vector<Gate> gates{segmentsGate(context.state()), passedGate(context), rereadGate(context)};
  gates.push_back(notApplicable("drained.connector", text("Snapshot complete for each table"),
                                text("Does not apply: this run reads by SQL, so no connector reports a snapshot.")));
  gates.push_back(
      notApplicable("drained.consumer_lag", text("Consumer past the topic's end offset"),
                    text("Does not apply: the profile names no topic; the sink's newest position stands for it.")));
  return gates;
}

bool isDrained(StepContext& context) {
  const std::vector<Gate> gates = drainedGates(context);
  return std::all_of(gates.begin(), gates.end(), [](const Gate& gate) { return gate.open(); });
}

}  // namespace tidemark::runbook
