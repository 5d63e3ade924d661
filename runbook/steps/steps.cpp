#include "runbook/run_state.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

std::vector<std::pair<std::string, std::string>> titlesAndPurposes() {
  return {
      {text("Reason and scope"),
       text("Why history is put in again, and which rows: table, key range and filter. The same "
            "scope builds the load, the key list, the sweep and the verification.")},
      {text("Check the sink"),
       text("Whether the sink's table can hold the guard: key, position, marker, payload. The guard "
            "itself is proven on a scratch copy. What fails here stops the run.")},
      {text("Rehearse"),
       text("A transaction that begins before the read and commits after it, and a change exactly at the "
            "boundary, are played where nothing can break. Both must end with the newer value.")},
      {text("Log still there"),
       text("Whether the source still keeps the log that the stream needs while the load runs.")},
      {text("Choose and write down"),
       text("Which way of reloading fits, with the exact statements and estimates. The plan is "
            "then frozen; everything after it carries its digest.")},
      {text("Boundary"),
       text("A position strictly below the first change of every transaction that the read will not see. "
            "Loaded rows are stamped with it, so that no newer change ever loses against them.")},
      {text("Sample"),
       text("A few keys go first, so that positions and encoding can be looked at before the rest follows.")},
      {text("Pace"), text("How fast the load may go, what makes it pause by itself, and who may pause it.")},
      {text("Run and watch"),
       text("The load: segment by segment, each with its own snapshot, boundary and key list. It can be "
            "paused, stopped and resumed at any time.")},
      {text("Drained"),
       text("The stream must have gone past the boundary before anything is swept: what is still on its way "
            "must not be taken for missing.")},
      {text("Sweep"),
       text("Rows that the source no longer has are marked as deleted: exactly the set that the preview shows, "
            "and before-images are kept.")},
      {text("Verify"),
       text("Both sides are compared twice, and only what differs both times counts. Listed keys can be read "
            "again.")},
      {text("Put back"),
       text("Whatever was different while the run lasted is compared with what was recorded at the start.")},
      {text("Purge bound"),
       text("The lowest position that any replay can still deliver: delete markers below it may be purged, "
            "those above it must stay.")},
      {text("Lineage"),
       text("Source and sink still speak of the same log, and no position in the sink lies beyond the source. "
            "The run is then signed off.")},
  };
}

std::vector<StepInfo> makeInfos() {
  std::vector<StepInfo> infos;
  const RunState run = emptyRun();
  const auto words = titlesAndPurposes();
  for (const StepState& step : run.steps) {
    const auto& [title, purpose] = words.at(static_cast<std::size_t>(step.number - 1));
    infos.push_back({step.number, step.id, title, purpose});
  }
  return infos;
}

}  // namespace

const std::vector<StepInfo>& stepInfos() {
  static const std::vector<StepInfo> infos = makeInfos();
  return infos;
}

std::vector<std::unique_ptr<Step>> makeSteps() {
  std::vector<std::unique_ptr<Step>> steps;
  steps.push_back(makeScopeStep());
  steps.push_back(makeSinkStep());
  steps.push_back(makeRehearseStep());
  steps.push_back(makeLogStep());
  steps.push_back(makeChooseStep());
  steps.push_back(makeBoundaryStep());
  steps.push_back(makeSampleStep());
  steps.push_back(makePaceStep());
  steps.push_back(makeRunStep());
  steps.push_back(makeDrainedStep());
  steps.push_back(makeSweepStep());
  steps.push_back(makeVerifyStep());
  steps.push_back(makePutBackStep());
  steps.push_back(makePurgeBoundStep());
  steps.push_back(makeLineageStep());
  return steps;
}

Reconciliation Step::reconcile(StepContext&, const InterruptedEffect& effect) {
  return {false,
          text("\"%1\" was interrupted. It changes nothing in the table, so it is simply done again.", effect.action)};
}

Question acceptedBy(const std::string& prompt) {
  Question question;
  question.id = "accepted_by";
  question.prompt = prompt;
  question.help = text("A name or a ticket; it stays in the report.");
  return question;
}

}  // namespace tidemark::runbook
