#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

struct Bound {
  std::int64_t position = 0;
  std::string because;
};

// A replay may deliver again whatever lies above the lowest of these; a delete marker below it can meet nothing older
// any more.
std::optional<Bound> purgeBound(const RunState& run) {
  std::optional<Bound> lowest;
  const auto consider = [&](std::int64_t position, const std::string& because) {
    if (!lowest || position < lowest->position) lowest = Bound{position, because};
  };
  for (const SegmentRecord& each : segmentsOf(run)) {
    const Boundary& boundary = each.segment.boundary;
    consider(boundary.position.element[0], text("boundary of segment %1", std::to_string(each.segment.number)));
    if (!boundary.restartLsn.empty()) consider(parseLsn(boundary.restartLsn), text("slot's restart position"));
  }
  if (const auto first = boundaryOf(run)) {
    consider(first->position.element[0], text("boundary of step 6"));
    if (!first->restartLsn.empty()) consider(parseLsn(first->restartLsn), text("slot's restart position in step 6"));
  }
  return lowest;
}

class PurgeBoundStep final : public NumberedStep {
 public:
  PurgeBoundStep() : NumberedStep(14) {}

  std::vector<Question> questions(StepContext&) override {
    return {acceptedBy(text("Who takes the purge bound over?"))};
  }

  std::vector<Gate> measure(StepContext& context) override {
    const std::string title = text("Delete markers below this may be purged");
    const auto bound = purgeBound(context.state());
    if (!bound) return {unknown("purge.bound", title, text("Nothing was loaded, so there is no bound."))};
    context.record(14, "purge_bound",
                   canonicalDump({{"position", bound->position},
                                  {"shown", displayPosition(PositionScheme::Lsn, Position{{bound->position, 0, 0}})},
                                  {"because", bound->because}}));
    return {
        passed("purge.bound", title, displayPosition(PositionScheme::Lsn, Position{{bound->position, 0, 0}}),
               bound->because),
        passed("purge.markers", text("Delete markers in the range"),
               groupedNumber(context.reader().countMarkers(context.mapping(), scopeOf(context.state()).range)),
               text("sink")),
        notApplicable("purge.topic", text("Start of the topic"),
                      text("Does not apply: the profile names no topic. Where one feeds this table all the same, keep "
                           "markers as long as it can be replayed."))};
  }
};

}  // namespace

std::unique_ptr<Step> makePurgeBoundStep() {
  return std::make_unique<PurgeBoundStep>();
}

}  // namespace tidemark::runbook
