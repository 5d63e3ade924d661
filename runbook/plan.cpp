#include "runbook/plan.h"

#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/run_facts.h"
#include "runbook/text.h"

namespace tidemark::runbook {

using nlohmann::json;

std::string planJson(StepContext& context) {
  const RunState& run = context.state();
  const Scope scope = scopeOf(run);
  const StepState& first = run.step(1);
  // The sweep's boundary is that of each segment; the statement is shown with a boundary of zero in its place.
  const SweepRequest sweep{run.runId, scope, Position{}};
  return canonicalDump({{"run", run.runId},
                        {"profile", json::parse(writeProfile(context.profile()))},
                        {"reason", first.answer("reason")},
                        {"scope", json::parse(encodeScope(scope))},
                        {"estimate", json::parse(first.fact("estimate"))},
                        {"way", "sql_reload"},
                        {"reads_stamped", "boundary"},
                        {"lineage", run.lineage},
                        {"mapping", json::parse(encodeMapping(context.mapping()))},
                        {"tables", {context.mapping().source.display()}},
                        {"load_statement", context.source().loadStatement(context.mapping(), scope)},
                        {"sweep_statement", context.sink().sweepStatement(context.mapping(), sweep)}});
}

}  // namespace tidemark::runbook
