#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/read_again.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"
#include "runbook/write_guards.h"

namespace tidemark::runbook {

namespace {

std::filesystem::path keyFile(StepContext& context, int number) {
  return context.folder() / ("keys." + std::to_string(number) + ".txt");
}

LoadRequest requestFor(StepContext& context, const KeyRange& range, const Boundary& boundary, int number) {
  LoadRequest request;
  request.mapping = context.mapping();
  request.scope = scopeOf(context.state());
  request.scope.range = range;
  request.boundary = boundary;
  request.segmentNumber = number;
  request.keyFile = keyFile(context, number);
  request.pace = paceOf(context.state(), context.profile());
  request.expectedRows = numberIn(context.state().step(1).fact("estimate"), "rows");
  return request;
}

void keep(StepContext& context, const Segment& segment, const KeyRange& asked) {
  context.record(9, "segment." + std::to_string(segment.number), encodeSegmentRecord({segment, asked}));
}

// What a crash or a stop left open is closed at its last checkpoint; what cannot be closed is loaded anew under the
// same number.
void closeOpenSegment(StepContext& context) {
  const auto segments = segmentsOf(context.state());
  if (segments.empty() || segments.back().segment.closed) return;
  const SegmentRecord& open = segments.back();
  const LoadRequest request = requestFor(context, open.asked, open.segment.boundary, open.segment.number);
  try {
    keep(context,
         closeInterruptedSegment(context.source(), context.sink(), request, open.segment, context.stopToken(),
                                 context.progress()),
         open.asked);
  } catch (const Error& problem) {
    if (problem.code() != "boundary.server_restarted" && problem.code() != "load.nothing_to_close") throw;
  }
}

void loadNextSegment(StepContext& context, const KeyRange& range) {
  const auto segments = segmentsOf(context.state());
  const bool redo = !segments.empty() && !segments.back().segment.closed;
  const int number = static_cast<int>(segments.size()) + (redo ? 0 : 1);
  // The boundary of step 6 is for the first segment alone; every later one reads in its own snapshot.
  const Boundary boundary = segments.empty()
                                ? *boundaryOf(context.state())
                                : context.source().captureBoundary(context.boundaryOptions(), context.stopToken(),
                                                                   context.boundaryObserver());
  const LoadRequest request = requestFor(context, range, boundary, number);
  Segment begun;
  begun.number = number;
  begun.range = range;
  begun.boundary = boundary;
  begun.keyFile = request.keyFile.filename().string();
  keep(context, begun, range);
  const Segment done = loadSegment(
      context.source(), context.sink(), request, context.pauseControl(),
      [&](const Segment& at) { keep(context, at, range); }, context.stopToken(), context.progress());
  keep(context, done, range);
}

ApplyCounts loadedCounts(const RunState& run) {
  ApplyCounts counts;
  for (const SegmentRecord& each : segmentsOf(run)) counts += each.segment.counts;
  return counts;
}

class RunStep final : public NumberedStep {
 public:
  RunStep() : NumberedStep(9) {}

  std::vector<Gate> measure(StepContext& context) override {
    std::vector<Gate> gates = writeGuards(context);
    const RunState& run = context.state();
    const auto segments = segmentsOf(run);
    std::uint64_t rows = 0;
    for (const SegmentRecord& each : segments) rows += each.segment.rowsRead;
    gates.push_back(
        asOutcome(check(loadComplete(run), "run.segments", text("Every part of the scope is loaded"),
                        text("%1 segments, %2 keys read", std::to_string(segments.size()), groupedNumber(rows)),
                        text("journal"), text("Load what is left."))));
    const auto keys = context.sink().keysToRead(context.mapping(), 1000);
    gates.push_back(asOutcome(
        check(keys.empty(), "run.keys_to_read", text("No key waits to be read again"), std::to_string(keys.size()),
              text("sink"), text("Doubtful and incomplete keys are read again under a boundary of their own."))));
    gates.push_back(notApplicable("run.topic", text("Topic growth and connector lag"),
                                  text("Does not apply: reloading by SQL writes to no topic.")));
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    const RunState& run = context.state();
    const auto segments = segmentsOf(run);
    Action load;
    load.id = "load";
    load.title = segments.empty()
                     ? text("Load %1 into %2", context.profile().source.table, context.profile().sink.table)
                     : text("Load what is left of %1", context.profile().source.table);
    const auto left = leftToLoad(scopeOf(run).range, segments);
    Scope scope = scopeOf(run);
    if (left) scope.range = *left;
    load.statement = context.source().loadStatement(context.mapping(), scope);
    load.rows = numberIn(run.step(1).fact("estimate"), "rows");
    load.writes = true;
    load.reverse = text(
        "Rows are written only where what is stored is older; stopping keeps what was committed, and loading "
        "goes on from there.");
    load.done = loadComplete(run);
    if (!boundaryOf(run)) load.blockedBecause = text("there is no boundary yet");
    Action again;
    again.id = "read_again";
    again.title = text("Read doubtful and incomplete keys again");
    const auto keys = context.sink().keysToRead(context.mapping(), 1000);
    again.statement = text("Captures a fresh boundary, reads the listed keys, applies them at it.");
    again.rows = keys.size();
    again.rowsExact = keys.size() < 1000;
    again.writes = true;
    again.reverse = text("Written only where what is stored is older.");
    again.required = !keys.empty();
    again.done = keys.empty();
    if (!load.done) again.blockedBecause = text("the load is not complete yet");
    return {load, again};
  }

  void perform(StepContext& context, const std::string& action) override {
    context.lockTable();
    if (action == "read_again") {
      readNotedKeysAgain(context, 9);
      return;
    }
    closeOpenSegment(context);
    while (const auto left = leftToLoad(scopeOf(context.state()).range, segmentsOf(context.state()))) {
      loadNextSegment(context, *left);
    }
    context.record(9, "counts", encodeCounts(loadedCounts(context.state())));
  }

  Reconciliation reconcile(StepContext& context, const InterruptedEffect& effect) override {
    if (effect.action == "read_again") {
      return {false, text("Keys that were read again are no longer listed; those that still are will be read.")};
    }
    const auto segments = segmentsOf(context.state());
    if (segments.empty()) return {false, text("No row was loaded yet.")};
    const Segment& last = segments.back().segment;
    if (loadComplete(context.state())) return {true, text("The load is complete.")};
    if (last.closed)
      return {false, text("Segment %1 is complete; the load goes on after it.", std::to_string(last.number))};
    return {
        false,
        text("Segment %1 was interrupted after %2 keys, the last one %3. It is closed there, and the load goes on in a "
             "new segment with its own snapshot and boundary.",
             std::to_string(last.number), groupedNumber(last.keys.summary.count), displayKey(last.keys.last))};
  }
};

}  // namespace

std::unique_ptr<Step> makeRunStep() {
  return std::make_unique<RunStep>();
}

}  // namespace tidemark::runbook
