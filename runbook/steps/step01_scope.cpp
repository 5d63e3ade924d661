#include <algorithm>

#include <nlohmann/json.hpp>

#include "runbook/answers.h"
#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

std::vector<Choice> reasons() {
  const std::string newTable = text(
      "the corrected rows would keep the positions that the stored ones have, and the strict guard skips those. Load "
      "into "
      "a new table with the corrected transform, let it catch up with the stream, then switch readers over.");
  return {{"wrong_rows", text("Rows in the sink are wrong"), {}},
          {"missing_rows", text("Rows are missing in the sink"), {}},
          {"events_lost", text("Events were lost on the way"), {}},
          {"topic_lost", text("The topic was deleted or lost retention"), {}},
          {"new_sink", text("The sink is new and wants history"), {}},
          {"new_column", text("A new column wants history"), newTable},
          {"content_fix", text("A transform was wrong: content fix at the same position"), newTable}};
}

Question keyQuestion(const std::string& id, const std::string& prompt, const TableMapping& mapping) {
  Question question;
  question.id = id;
  question.prompt = prompt;
  question.required = false;
  question.help =
      mapping.key.size() == 1
          ? text("A value of %1; empty leaves the range open on this side.", mapping.key.front().source)
          : text("A JSON list of texts, one for each key column; empty leaves the range open on this side.");
  return question;
}

bool ordered(const TableMapping& mapping, const KeyRange& range) {
  return !range.from || !range.to || compareKeys(mapping.keyKinds(), range.from->key, range.to->key) <= 0;
}

// The two engines read one condition alike only when they are the same engine and the columns bear the same names.
bool filterHoldsOnSink(const Profile& profile, const TableMapping& mapping) {
  const bool sameEngine = profile.source.system == profile.sink.system ||
                          (profile.source.system == "simulator" && profile.sink.system == "sqlite");
  const auto sameName = [](const ColumnPair& each) { return each.source == each.sink; };
  return sameEngine && std::all_of(mapping.key.begin(), mapping.key.end(), sameName) &&
         std::all_of(mapping.payload.begin(), mapping.payload.end(), sameName);
}

Scope answeredScope(StepContext& context) {
  const StepState& step = context.state().step(1);
  const TableMapping& mapping = context.mapping();
  Scope scope;
  if (const std::string from = step.answer("from"); !from.empty()) scope.range.from = KeyBound{parseKey(mapping, from)};
  if (const std::string to = step.answer("to"); !to.empty()) scope.range.to = KeyBound{parseKey(mapping, to)};
  scope.filter = step.answer("filter");
  if (scope.filtered() && filterHoldsOnSink(context.profile(), mapping)) scope.sinkFilter = scope.filter;
  return scope;
}

Gate filterGate(StepContext& context, const Scope& scope) {
  const std::string title = text("Filter is understood");
  if (!scope.filtered()) return notApplicable("scope.filter", title, text("Does not apply: no filter was given."));
  try {
    context.source().checkFilter(context.mapping(), scope.filter);
    if (!scope.sinkFilter.empty()) context.reader().checkFilter(context.mapping(), scope.sinkFilter);
  } catch (const Error& problem) {
    if (problem.code() != "filter.does_not_parse") throw;
    return failedBy("scope.filter", title, problem);
  }
  return passed("scope.filter", title, scope.filter,
                scope.sinkFilter.empty() ? text("source alone; the sink is held against the whole range")
                                         : text("source and sink"));
}

class ScopeStep final : public NumberedStep {
 public:
  ScopeStep() : NumberedStep(1) {}

  std::vector<Question> questions(StepContext& context) override {
    Question reason;
    reason.id = "reason";
    reason.prompt = text("Why is history put in again?");
    reason.kind = QuestionKind::Choice;
    reason.choices = reasons();
    Question filter;
    filter.id = "filter";
    filter.prompt = text("Filter");
    filter.required = false;
    filter.help = text("A condition on the source's columns, as after WHERE; empty takes every row of the range.");
    try {
      return {reason, keyQuestion("from", text("First key of the range"), context.mapping()),
              keyQuestion("to", text("Last key of the range"), context.mapping()), filter};
    } catch (const Error&) {
      // Without both tables no key can be asked for; the gates say what is wrong.
      return {reason};
    }
  }

  void checkAnswer(StepContext& context, const std::string& question, const std::string& value) override {
    if (question != "from" && question != "to") return;
    if (value.empty()) return;
    const TableMapping& mapping = context.mapping();
    const Key key = parseKey(mapping, value);
    const std::string other = context.state().step(1).answer(question == "from" ? "to" : "from");
    if (other.empty()) return;
    const Key otherKey = parseKey(mapping, other);
    const bool wrong = question == "from" ? compareKeys(mapping.keyKinds(), key, otherKey) > 0
                                          : compareKeys(mapping.keyKinds(), otherKey, key) > 0;
    if (wrong) invalidAnswer(text("The first key of the range lies after the last one."), text("Exchange them."));
  }

  std::vector<Gate> measure(StepContext& context) override {
    std::vector<Gate> gates;
    try {
      const TableMapping& mapping = context.mapping();
      gates.push_back(passed("scope.tables", text("Both tables are there and fit each other"),
                             mapping.source.display() + " → " + mapping.sink.display(), text("both catalogues")));
    } catch (const Error& problem) {
      if (!isAboutTables(problem.code())) throw;
      return {failedBy("scope.tables", text("Both tables are there and fit each other"), problem)};
    }
    const Scope scope = answeredScope(context);
    gates.push_back(check(ordered(context.mapping(), scope.range), "scope.range", text("Range is in order"),
                          rangeText(scope), text("answers"),
                          text("The first key lies after the last one: exchange them.")));
    gates.push_back(filterGate(context, scope));
    if (!gates.back().open() || !gates[1].open()) return gates;
    addGates(gates, context.source().inspect(context.mapping(), scope));
    // What may not be read cannot be counted either, and the gates say why better than the server's refusal.
    const auto isShut = [](const Gate& gate) { return gate.result == GateResult::Fail; };
    if (std::any_of(gates.begin(), gates.end(), isShut)) return gates;
    addEstimate(context, scope, gates);
    context.recordLineage(context.source().lineage());
    context.record(1, "scope", encodeScope(scope));
    recordKey(context);
    return gates;
  }

 private:
  static bool isAboutTables(const std::string& code) {
    return code.starts_with("mapping.") || code.ends_with(".no_table") || code.ends_with(".no_primary_key") ||
           code.ends_with(".type") || code.ends_with(".column_type");
  }

  static std::string rangeText(const Scope& scope) {
    const std::string open = text("open");
    return (scope.range.from ? displayKey(scope.range.from->key) : open) + " – " +
           (scope.range.to ? displayKey(scope.range.to->key) : open);
  }

  static void addEstimate(StepContext& context, const Scope& scope, std::vector<Gate>& gates) {
    const TableEstimate estimate = context.source().estimate(context.mapping(), scope);
    context.record(1, "estimate",
                   canonicalDump({{"rows", estimate.rows}, {"bytes", estimate.bytes}, {"exact", estimate.exact}}));
    Gate gate = passed("scope.estimate", text("Rows in scope"), groupedNumber(estimate.rows),
                       estimate.exact ? text("exact count") : text("estimate"));
    gate.unit = text("rows");
    gates.push_back(gate);
  }

  static void recordKey(StepContext& context) {
    nlohmann::json columns = nlohmann::json::array();
    for (const ColumnPair& each : context.mapping().key)
      columns.push_back({{"name", each.source}, {"type", each.type.declared}});
    context.record(1, "key", canonicalDump(columns));
  }
};

}  // namespace

std::unique_ptr<Step> makeScopeStep() {
  return std::make_unique<ScopeStep>();
}

}  // namespace tidemark::runbook
