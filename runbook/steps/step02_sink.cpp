#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/put_back.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string result;
  for (const std::string& each : parts) result += (result.empty() ? "" : separator) + each;
  return result;
}

Gate travelGate(StepContext& context) {
  const TableShape source = context.source().describe(context.mapping().source);
  std::vector<std::string> left;
  for (const Column& column : source.columns) {
    const auto isThis = [&](const ColumnPair& each) { return each.source == column.name; };
    const TableMapping& mapping = context.mapping();
    const bool travels = std::any_of(mapping.key.begin(), mapping.key.end(), isThis) ||
                         std::any_of(mapping.payload.begin(), mapping.payload.end(), isThis);
    if (!travels) left.push_back(column.name);
  }
  return asWaivable(
      check(left.empty(), "sink.columns_travel", text("Every column of the source has a place in the sink"),
            left.empty() ? text("all") : text("not in the sink: %1", joined(left, ", ")), text("both catalogues"),
            text("These columns are neither loaded nor verified. Map them in the profile, or have the omission "
                 "waived.")));
}

Gate lineageGate(StepContext& context) {
  const std::string title = text("Lineage stored with the sink is the source's");
  const auto stored = context.reader().storedLineage(context.mapping());
  context.record(2, "lineage_stored", canonicalDump(stored ? nlohmann::json(stored->display()) : nlohmann::json()));
  if (!stored) return passed("sink.lineage", title, text("none stored yet"), text("sink"));
  const Lineage source = context.source().lineage();
  return check(
      *stored == source, "sink.lineage", title, stored->display(), text("sink"),
      text("The sink's positions belong to %1, the source is %2: they are never compared. Use a fresh target table, "
           "or re-key the positions.",
           stored->display(), source.display()));
}

Gate lockGate(StepContext& context) {
  const std::string title = text("No other run drives this table");
  const auto holder = context.sink().lockHolder(context.mapping());
  const bool free = !holder || holder->runId == context.state().runId;
  if (free) return asOutcome(passed("sink.lock", title, text("free"), text("sink")));
  return asOutcome(failed(
      "sink.lock", title, text("run %1 of %2 on %3 since %4", holder->runId, holder->user, holder->host, holder->since),
      text("sink"),
      text("Let that run end or abandon it there. If its program is gone for good, break its lock here.")));
}

class SinkStep final : public NumberedStep {
 public:
  SinkStep() : NumberedStep(2) {}

  std::vector<Gate> measure(StepContext& context) override {
    const Scope scope = scopeOf(context.state());
    std::vector<Gate> gates;
    addGates(gates, context.reader().inspect(context.mapping(), scope));
    gates.push_back(travelGate(context));
    const bool schemaThere = context.sink().schemaStatements().empty();
    gates.push_back(asOutcome(check(schemaThere, "sink.schema", text("Tidemark's own tables are there"),
                                    schemaThere ? text("complete") : text("missing"), text("sink"),
                                    text("Make them here, or give the statements to an administrator."))));
    if (schemaThere) {
      gates.push_back(lineageGate(context));
      gates.push_back(lockGate(context));
    }
    gates.push_back(certificationGate(context));
    recordConnections(context);
    if (context.state().step(2).fact("recorded_at_start").empty()) {
      context.record(2, "recorded_at_start", stateOfBothSides(context));
    }
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    const auto statements = context.sink().schemaStatements();
    Action schema;
    schema.id = "schema";
    schema.title = text("Make Tidemark's own tables in the sink");
    schema.statement = statements.empty() ? text("-- nothing to do: they are there") : joined(statements, ";\n") + ";";
    schema.writes = true;
    schema.reverse = text("Drop them when no run needs its before-images any more.");
    schema.done = statements.empty();
    Action certify;
    certify.id = "certify";
    certify.title = text("Prove the guard on a scratch copy of %1", context.profile().sink.table);
    certify.statement = context.environment().certifyStatement(context.profile(), context.mapping());
    certify.writes = true;
    certify.reverse = text("The scratch copy is dropped again at the end.");
    certify.done = context.state().step(2).performed.contains("certify");
    if (!schema.done) certify.blockedBecause = text("Tidemark's own tables are not there yet.");
    std::vector<Action> all{schema, certify};
    if (schema.done) addBreakLock(context, all);
    return all;
  }

  void perform(StepContext& context, const std::string& action) override {
    if (action == "schema") {
      context.sink().ensureSchema();
      return;
    }
    if (action == "break_lock") {
      context.sink().breakLock(context.mapping());
      return;
    }
    const Certification found =
        context.environment().certify(context.profile(), context.mapping(), context.stopToken(), context.progress());
    context.record(2, "certification", canonicalDump(nlohmann::json::parse(found.json)));
    context.record(2, "certified", found.passed ? "true" : "false");
    for (const Finding& each : found.findings) m_lastFindings[each.id] = each;
  }

  Reconciliation reconcile(StepContext& context, const InterruptedEffect& effect) override {
    if (effect.action == "schema") {
      const bool there = context.sink().schemaStatements().empty();
      return {there, there ? text("Tidemark's own tables are complete.")
                           : text("Tidemark's own tables are not complete yet; making them again is harmless.")};
    }
    if (effect.action == "break_lock") {
      const bool gone = !context.sink().lockHolder(context.mapping());
      return {gone, gone ? text("The lock is broken.") : text("The lock is still held; it can be broken again.")};
    }
    const auto dropped = context.environment().dropScratch(context.profile());
    return {false, dropped.empty()
                       ? text("The certification left nothing behind; it runs again from the start.")
                       : text("The certification left %1 behind; it was dropped. It runs again from the start.",
                              joined(dropped, ", "))};
  }

 private:
  static void addBreakLock(StepContext& context, std::vector<Action>& actions) {
    const auto holder = context.sink().lockHolder(context.mapping());
    if (!holder || holder->runId == context.state().runId) return;
    Action action;
    action.id = "break_lock";
    action.title = text("Break the table lock of run %1", holder->runId);
    action.statement = text("Removes the lock that %1 on %2 took at %3 (process %4).", holder->user, holder->host,
                            holder->since, std::to_string(holder->pid));
    action.writes = true;
    action.reversible = false;
    action.reverse = text("That run can take the lock again only when this one has ended.");
    action.confirmation = holder->runId;
    action.required = false;
    actions.push_back(action);
  }

  Gate certificationGate(StepContext& context) const {
    const std::string title = text("Guard proven on a scratch copy");
    const StepState& step = context.state().step(2);
    if (step.fact("certified").empty()) {
      Gate gate = unknown("sink.certified", title, text("Run the convergence suite on a scratch copy."));
      return asOutcome(gate);
    }
    std::string measured = flagged(step, "certified") ? text("every part converged, every broken control was caught")
                                                      : text("the suite did not pass");
    for (const auto& [id, finding] : m_lastFindings) {
      if (finding.severity == Severity::Failure) measured = finding.title + ": " + finding.measured;
    }
    return asOutcome(check(flagged(step, "certified"), "sink.certified", title, measured, text("convergence suite"),
                           text("This sink does not converge: do not load anything into it.")));
  }

  static void recordConnections(StepContext& context) {
    context.record(2, "connection",
                   canonicalDump({{"source", context.source().describeConnection()},
                                  {"sink", context.reader().describeConnection()}}));
  }

  std::map<std::string, Finding> m_lastFindings;
};

}  // namespace

std::unique_ptr<Step> makeSinkStep() {
  return std::make_unique<SinkStep>();
}

}  // namespace tidemark::runbook
