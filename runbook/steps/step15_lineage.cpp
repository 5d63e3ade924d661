#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

Gate positionsGate(StepContext& context) {
  const std::string title = text("No position in the sink lies beyond the source");
  // The sink first: whatever arrives there later cannot make the source's position too low.
  const auto sink = context.reader().newestPosition(context.mapping());
  const std::int64_t source = context.source().newestPosition();
  if (!sink) return passed("lineage.positions", title, text("the sink is empty"), text("sink"));
  Gate gate = check(
      sink->element[0] <= source, "lineage.positions", title, displayPosition(context.mapping().scheme, *sink),
      text("sink"),
      text("The sink holds positions of another log: new changes would lose against them. Use a fresh target table, "
           "or re-key the positions."));
  gate.limit = displayPosition(PositionScheme::Lsn, Position{{source, 0, 0}});
  return gate;
}

class LineageStep final : public NumberedStep {
 public:
  LineageStep() : NumberedStep(15) {}

  std::vector<Question> questions(StepContext&) override {
    Question question;
    question.id = "signed_by";
    question.prompt = text("Who signs this run off?");
    question.help = text("A name; it stands in the report, beside every waiver.");
    return {question};
  }

  std::vector<Gate> measure(StepContext& context) override {
    const Lineage now = context.source().lineage();
    const std::string hint = text(
        "The source was replaced, restored or promoted while the run lasted. Nothing more may be written "
        "with its positions: use a fresh target table, or re-key them.");
    std::vector<Gate> gates{check(now.display() == context.state().lineage, "lineage.run",
                                  text("Same source as in steps 2 and 6"), now.display(), text("source"), hint)};
    const auto boundary = boundaryOf(context.state());
    gates.push_back(check(boundary && boundary->lineage == now, "lineage.boundary",
                          text("The load's boundary belongs to this source"),
                          boundary ? boundary->lineage.display() : text("no boundary"), text("journal"), hint));
    gates.push_back(positionsGate(context));
    const auto stored = context.reader().storedLineage(context.mapping());
    gates.push_back(asOutcome(check(stored && *stored == now, "lineage.stored", text("Lineage is stored with the sink"),
                                    stored ? stored->display() : text("not yet"), text("sink"),
                                    text("Store it: the next run is then held against it."))));
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    const Lineage now = context.source().lineage();
    const auto stored = context.reader().storedLineage(context.mapping());
    Action store;
    store.id = "store_lineage";
    store.title = text("Store the lineage of %1", context.profile().sink.table);
    store.statement =
        text("Lineage %1 for table %2, in Tidemark's own tables.", now.display(), context.profile().sink.table);
    store.rows = 1;
    store.rowsExact = true;
    store.writes = true;
    store.reverse = text("A later run stores its own.");
    store.done = stored && *stored == now;
    return {store};
  }

  void perform(StepContext& context, const std::string&) override {
    context.lockTable();
    context.sink().storeLineage(context.mapping(), context.source().lineage());
  }

  Reconciliation reconcile(StepContext& context, const InterruptedEffect&) override {
    const auto stored = context.reader().storedLineage(context.mapping());
    const bool there = stored && stored->display() == context.state().lineage;
    return {there, there ? text("The lineage is stored.") : text("The lineage is not stored yet; it is stored again.")};
  }
};

}  // namespace

std::unique_ptr<Step> makeLineageStep() {
  return std::make_unique<LineageStep>();
}

}  // namespace tidemark::runbook
