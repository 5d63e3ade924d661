#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/drained.h"
#include "runbook/gates.h"
#include "runbook/run_event.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"
#include "runbook/write_guards.h"

namespace tidemark::runbook {

namespace {

using nlohmann::json;

std::string previewName(int segment) {
  return "preview." + std::to_string(segment);
}

std::string sweptName(int segment) {
  return "swept." + std::to_string(segment);
}

SweepRequest requestFor(const RunState& run, const SegmentRecord& segment) {
  return {run.runId, segmentScope(run, segment), segment.segment.boundary.position};
}

struct Totals {
  std::uint64_t ghosts = 0;
  std::uint64_t live = 0;
  std::uint64_t marked = 0;
  bool previewed = true;  ///< Every segment.
  bool swept = true;      ///< Every segment.
};

Totals totalsOf(const RunState& run) {
  Totals totals;
  const StepState& step = run.step(11);
  for (const SegmentRecord& each : segmentsOf(run)) {
    const std::string preview = step.fact(previewName(each.segment.number));
    const std::string swept = step.fact(sweptName(each.segment.number));
    totals.previewed = totals.previewed && !preview.empty() && preview != "null";
    totals.swept = totals.swept && !swept.empty();
    if (preview != "null") {
      totals.ghosts += numberIn(preview, "ghosts");
      totals.live += numberIn(preview, "live_in_scope");
    }
    totals.marked += numberIn(swept, "marked");
  }
  return totals;
}

Gate keyCountGate(StepContext& context) {
  const std::string title = text("Key list is complete");
  std::uint64_t keys = 0;
  try {
    for (const SegmentRecord& each : segmentsOf(context.state())) {
      checkKeyCount(context.source(), context.reader(), context.mapping(), each.segment,
                    context.folder() / each.segment.keyFile, context.stopToken());
      keys += each.segment.keys.summary.count;
    }
  } catch (const Error& problem) {
    if (!problem.code().starts_with("keys.")) throw;
    return failedBy("sweep.key_list", title, problem);
  }
  Gate gate = passed("sweep.key_list", title, groupedNumber(keys), text("key lists, held against the source"));
  gate.unit = text("keys");
  return gate;
}

Gate capGate(const Profile& profile, const Totals& totals) {
  const std::string title = text("Share of rows to mark is within the cap");
  if (!totals.previewed) return asOutcome(unknown("sweep.cap", title, text("Make the preview first.")));
  const bool within = totals.ghosts * 1000 <= totals.live * profile.limits.sweepCapPermille;
  Gate gate = asWaivable(
      check(within, "sweep.cap", title,
            text("%1 of %2 live rows", groupedNumber(totals.ghosts), groupedNumber(totals.live)), text("preview"),
            text("More rows would go than expected. Look at the samples; if it is right, have a second "
                 "person waive the cap.")));
  gate.limit = std::to_string(profile.limits.sweepCapPermille) + " ‰";
  return gate;
}

class SweepStep final : public NumberedStep {
 public:
  SweepStep() : NumberedStep(11) {}

  std::vector<Gate> measure(StepContext& context) override {
    std::vector<Gate> gates = writeGuards(context);
    for (Gate& each : drainedGates(context)) gates.push_back(std::move(each));
    if (!loadComplete(context.state())) return gates;
    gates.push_back(keyCountGate(context));
    const Totals totals = totalsOf(context.state());
    gates.push_back(capGate(context.profile(), totals));
    const bool done = totals.previewed && (totals.swept || totals.ghosts == 0);
    gates.push_back(asOutcome(check(done, "sweep.done", text("Rows unknown to the source are marked"),
                                    text("%1 of %2", groupedNumber(totals.marked), groupedNumber(totals.ghosts)),
                                    text("journal"), text("Make the preview, then sweep."))));
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    const RunState& run = context.state();
    const Totals totals = totalsOf(run);
    return {previewAction(run, context.profile(), totals), sweepAction(context, totals)};
  }

  void perform(StepContext& context, const std::string& action) override {
    context.lockTable();
    if (action == "preview") {
      preview(context);
    } else {
      sweep(context);
    }
  }

  Reconciliation reconcile(StepContext& context, const InterruptedEffect& effect) override;

 private:
  static Action previewAction(const RunState& run, const Profile& profile, const Totals& totals) {
    Action action;
    action.id = "preview";
    action.title = text("Find the rows of %1 that the source no longer has", profile.sink.table);
    action.statement = text(
        "Live rows of the scope below the boundary of their segment whose key is not in the key list; the set "
        "is kept under run %1.",
        run.runId);
    action.writes = true;
    action.reverse = text("Writes only to Tidemark's own tables.");
    action.done = totals.previewed;
    if (!loadComplete(run)) action.blockedBecause = text("the load is not complete");
    return action;
  }

  static Action sweepAction(StepContext& context, const Totals& totals) {
    const RunState& run = context.state();
    Action action;
    action.id = "sweep";
    action.title = text("Mark %1 rows of %2 as deleted", groupedNumber(totals.ghosts), context.profile().sink.table);
    for (const SegmentRecord& each : segmentsOf(run)) {
      action.statement += (action.statement.empty() ? "" : "\n") +
                          context.sink().sweepStatement(context.mapping(), requestFor(run, each));
    }
    action.rows = totals.ghosts;
    action.rowsExact = totals.previewed;
    action.writes = true;
    action.reverse = text("Before-images are kept: undo puts the rows back.");
    action.confirmation = context.profile().sink.table;
    action.required = !totals.previewed || totals.ghosts > 0;
    action.done = totals.previewed && (totals.swept || totals.ghosts == 0);
    if (!totals.previewed) action.blockedBecause = text("the preview was not made yet");
    // Nothing found: nothing to type a confirmation for.
    if (totals.previewed && totals.ghosts == 0) action.blockedBecause = text("there is no row to mark");
    const Gate cap = capGate(context.profile(), totals);
    const Gate* measured = run.step(11).gate("sweep.cap");
    const bool waived = measured != nullptr && measured->waiver && measured->measured == cap.measured;
    if (totals.previewed && !cap.open() && !waived) action.blockedBecause = cap.title + ": " + cap.measured;
    return action;
  }

  static void preview(StepContext& context) {
    for (const SegmentRecord& each : segmentsOf(context.state())) {
      if (!context.state().step(11).fact(sweptName(each.segment.number)).empty()) continue;
      const auto keys = openKeyList(context.folder() / each.segment.keyFile, each.segment.keys.summary);
      const SweepPreview found = context.sink().previewSweep(context.mapping(), requestFor(context.state(), each),
                                                             *keys, context.stopToken(), context.progress());
      json sample = json::array();
      for (const StoredRow& row : found.sample) sample.push_back(json::parse(encodeStoredRow(row, context.mapping())));
      context.record(
          11, previewName(each.segment.number),
          canonicalDump({{"ghosts", found.ghosts}, {"live_in_scope", found.liveInScope}, {"sample", sample}}));
    }
  }

  static void keepSwept(StepContext& context, int segment, const SweepResult& result) {
    context.record(11, sweptName(segment),
                   canonicalDump({{"marked", result.marked}, {"no_longer_qualified", result.noLongerQualified}}));
  }

  static void sweep(StepContext& context) {
    for (const SegmentRecord& each : segmentsOf(context.state())) {
      const int number = each.segment.number;
      if (!context.state().step(11).fact(sweptName(number)).empty()) continue;
      if (numberIn(context.state().step(11).fact(previewName(number)), "ghosts") == 0) {
        keepSwept(context, number, {});
        continue;
      }
      try {
        keepSwept(context, number,
                  context.sink().commitSweep(context.mapping(), requestFor(context.state(), each),
                                             context.profile().limits.sweepTolerance));
      } catch (const Error& problem) {
        // What was shown is no longer so: the preview is void, and has to be made and confirmed anew.
        if (problem.code() == "sweep.count_changed") context.record(11, previewName(number), "null");
        throw;
      }
    }
  }
};

Reconciliation SweepStep::reconcile(StepContext& context, const InterruptedEffect& effect) {
  // A commit of the process that died may still be on its way in the server, unseen: the lock of its session ends with
  // that session, and only then is the count of before-images final.
  context.lockTable();
  if (effect.action == kUndoAction) {
    const std::uint64_t left = context.sink().beforeImages(context.state().runId);
    return {false, text("%1 before-images are left. Undoing again is harmless: a row that was put back is not touched.",
                        groupedNumber(left))};
  }
  if (effect.action == "preview") return {false, text("The preview marks nothing; it is made again.")};
  const Totals totals = totalsOf(context.state());
  const std::uint64_t images = context.sink().beforeImages(context.state().runId);
  if (images <= totals.marked) {
    return {false, text("No row was marked by the interrupted commit: it was rolled back as a whole.")};
  }
  // Segments are swept one after the other, each in one transaction: what exceeds the journal is the next one's.
  for (const SegmentRecord& each : segmentsOf(context.state())) {
    const int number = each.segment.number;
    if (!context.state().step(11).fact(sweptName(number)).empty()) continue;
    const std::uint64_t ghosts = numberIn(context.state().step(11).fact(previewName(number)), "ghosts");
    if (ghosts == 0) continue;
    const std::uint64_t marked = images - totals.marked;
    keepSwept(context, number, {marked, ghosts > marked ? ghosts - marked : 0});
    break;
  }
  const Totals now = totalsOf(context.state());
  return {now.swept, text("The interrupted commit took place: %1 rows were marked, and their before-images are kept.",
                          groupedNumber(images - totals.marked))};
}

}  // namespace

std::unique_ptr<Step> makeSweepStep() {
  return std::make_unique<SweepStep>();
}

}  // namespace tidemark::runbook
