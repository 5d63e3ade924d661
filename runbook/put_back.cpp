#include "runbook/put_back.h"

#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/text.h"

namespace tidemark::runbook {

using nlohmann::json;

namespace {

// Measured values such as free room change by themselves; what a run may have left is a finding that changed its kind.
json findingsJson(const std::vector<Finding>& findings) {
  json result = json::object();
  for (const Finding& each : findings)
    result[each.id] = {{"severity", severityName(each.severity)}, {"title", each.title}};
  return result;
}

Gate compared(const std::string& id, const std::string& title, const json& before, const json& now,
              const std::string& measured) {
  return asWaivable(check(before == now, id, title, before == now ? text("as at the start") : measured,
                          text("catalogue"), text("Put it back, or have the change waived if it was meant.")));
}

std::string changedFindings(const json& before, const json& now) {
  std::string result;
  for (const auto& [id, value] : now.items()) {
    if (before.contains(id) && before.at(id).at("severity") == value.at("severity")) continue;
    result += (result.empty() ? "" : "; ") + value.at("title").get<std::string>();
  }
  return result.empty() ? text("a finding of the start is gone") : result;
}

}  // namespace

std::string stateOfBothSides(StepContext& context) {
  const TableMapping& mapping = context.mapping();
  const Scope scope = scopeOf(context.state());
  return canonicalDump({{"source_table", json::parse(encodeShape(context.source().describe(mapping.source)))},
                        {"sink_table", json::parse(encodeShape(context.reader().describe(mapping.sink)))},
                        {"source_findings", findingsJson(context.source().inspect(mapping, scope))},
                        {"sink_findings", findingsJson(context.reader().inspect(mapping, scope))}});
}

std::vector<Gate> comparedWithStart(StepContext& context) {
  const std::string recorded = context.state().step(2).fact("recorded_at_start");
  if (recorded.empty()) {
    return {unknown("put_back.recorded", text("State at the start was recorded"), text("Measure step 2 first."))};
  }
  const json before = json::parse(recorded);
  const json now = json::parse(stateOfBothSides(context));
  const std::string altered = text("altered since");
  return {compared("put_back.source_table", text("Source's table"), before.at("source_table"), now.at("source_table"),
                   altered),
          compared("put_back.sink_table", text("Sink's table"), before.at("sink_table"), now.at("sink_table"), altered),
          compared("put_back.source_rights", text("Source's rights and settings"), before.at("source_findings"),
                   now.at("source_findings"), changedFindings(before.at("source_findings"), now.at("source_findings"))),
          compared("put_back.sink_rights", text("Sink's rights, triggers and indexes"), before.at("sink_findings"),
                   now.at("sink_findings"), changedFindings(before.at("sink_findings"), now.at("sink_findings")))};
}

}  // namespace tidemark::runbook
