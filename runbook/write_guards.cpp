#include "runbook/write_guards.h"

#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

Gate lineageGate(StepContext& context) {
  const std::string now = context.source().lineage().display();
  return check(now == context.state().lineage, "write.lineage", text("Same source as when the run began"), now,
               text("source"),
               text("The source is another server, timeline or slot than before: positions of two lineages are never "
                    "compared. Abandon this run and begin with a fresh target table, or re-key the positions."));
}

Gate mappingGate(StepContext& context) {
  const std::string title = text("Tables are as planned");
  if (!context.state().planFrozen()) {
    return unknown("write.tables", title, text("Freeze the plan in step 5 first."));
  }
  const auto plan = nlohmann::json::parse(context.state().planJson);
  const auto now = nlohmann::json::parse(encodeMapping(context.mapping()));
  return check(
      plan.at("mapping") == now, "write.tables", title,
      text("%1 columns mapped", std::to_string(context.mapping().key.size() + context.mapping().payload.size())),
      text("both catalogues"),
      text("A table was altered after the plan was frozen. Abandon this run and begin a new one."));
}

bool waivedBefore(const RunState& run, const Finding& finding) {
  for (const int number : {1, 2}) {
    const Gate* gate = run.step(number).gate(finding.id);
    if (gate != nullptr && gate->waiver) return true;
  }
  return false;
}

Gate fitGate(const RunState& run, const std::string& id, const std::string& title,
             const std::vector<Finding>& findings) {
  const Finding* warning = nullptr;
  for (const Finding& each : findings) {
    if (each.severity == Severity::Failure || each.severity == Severity::Unknown) {
      return failed(id, title, each.title + ": " + each.measured, each.source, each.hint);
    }
    if (each.severity == Severity::Warning && each.waivable && !waivedBefore(run, each)) warning = &each;
  }
  if (warning != nullptr) {
    // New since step 2, which cannot be opened again once rows were written: it is waived here, or the run waits.
    return asWaivable(failed(id, title, warning->title + ": " + warning->measured, warning->source, warning->hint));
  }
  return passed(id, title, text("%1 findings, none of them new", std::to_string(findings.size())), text("catalogue"));
}

}  // namespace

std::vector<Gate> writeGuards(StepContext& context) {
  const RunState& run = context.state();
  const Scope scope = scopeOf(run);
  std::vector<Gate> gates{lineageGate(context), mappingGate(context)};
  gates.push_back(fitGate(run, "write.source_fit", text("Source can still be read whole"),
                          context.source().inspect(context.mapping(), scope)));
  gates.push_back(fitGate(run, "write.sink_fit", text("Sink still meets the guard's requirements"),
                          context.reader().inspect(context.mapping(), scope)));
  for (Gate& each : gates) each.validForSeconds = kSensedForSeconds;
  return gates;
}

}  // namespace tidemark::runbook
