#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/read_again.h"
#include "runbook/run_facts.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"
#include "runbook/verification.h"
#include "runbook/write_guards.h"

namespace tidemark::runbook {

namespace {

constexpr std::size_t kKeysListed = 1000;

std::uint64_t toRepair(const std::string& verification) {
  return numberIn(verification, "missing") + numberIn(verification, "ghost") + numberIn(verification, "stale") +
         numberIn(verification, "different_at_same_position");
}

std::vector<Key> listedKeys(const std::string& verification) {
  std::vector<Key> keys;
  for (const auto& each : nlohmann::json::parse(verification).at("differences")) {
    if (each.at("kind").get<std::string>() == differenceName(DifferenceKind::InFlight)) continue;
    keys.push_back(each.at("key").get<Key>());
  }
  return keys;
}

class VerifyStep final : public NumberedStep {
 public:
  VerifyStep() : NumberedStep(12) {}

  std::vector<Gate> measure(StepContext& context) override {
    const StepState& step = context.state().step(12);
    std::vector<Gate> gates = writeGuards(context);
    const std::string fact = step.fact("verification");
    if (fact.empty() || !flagged(step, "verification_current")) {
      gates.push_back(asOutcome(unknown("verify.equal", text("Both sides are equal"), text("Compare them."))));
      return gates;
    }
    const std::uint64_t left = toRepair(fact);
    gates.push_back(asOutcome(asWaivable(
        check(left == 0, "verify.equal", text("Both sides are equal"),
              left == 0 ? text("%1 rows compared twice, no difference", groupedNumber(numberIn(fact, "source_rows")))
                        : text("%1 missing, %2 stale, %3 ghosts, %4 different at the same position",
                               std::to_string(numberIn(fact, "missing")), std::to_string(numberIn(fact, "stale")),
                               std::to_string(numberIn(fact, "ghost")),
                               std::to_string(numberIn(fact, "different_at_same_position"))),
              text("comparison, twice"),
              text("Read the listed keys again, or have a second person accept what stays different.")))));
    const std::uint64_t suspects = numberIn(fact, "suspects");
    gates.push_back(asOutcome(
        asWaivable(check(suspects == 0, "verify.suspects", text("No live row of the scope is older than its boundary"),
                         groupedNumber(suspects), text("sink"),
                         text("Such rows were neither loaded nor swept: compare again, and look at "
                              "the filter.")))));
    Gate flight = passed("verify.in_flight", text("Differences that were in flight"),
                         groupedNumber(numberIn(fact, "in_flight")), text("comparison, twice"));
    gates.push_back(asOutcome(flight));
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    const StepState& step = context.state().step(12);
    const bool current = flagged(step, "verification_current");
    Action compare;
    compare.id = "verify";
    compare.title = text("Compare both sides, twice");
    compare.statement = text(
        "Reads the scope on both sides segment by segment: counts, checksums, suspects, highest positions. "
        "Writes nothing.");
    compare.done = current;
    Action repair;
    repair.id = "repair";
    const std::uint64_t left = current ? toRepair(step.fact("verification")) : 0;
    repair.title = text("Read %1 listed keys again", groupedNumber(std::min<std::uint64_t>(left, kKeysListed)));
    repair.statement = text(
        "Captures a fresh boundary, reads the listed keys, applies them at it: rows as they are, a marker "
        "where the source has no such key.");
    repair.rows = left;
    repair.rowsExact = left <= kKeysListed;
    repair.writes = true;
    repair.reverse = text("Written only where what is stored is older.");
    repair.required = false;
    repair.done = left == 0;
    if (!current) repair.blockedBecause = text("both sides were not compared yet");
    if (current && left == 0) repair.blockedBecause = text("nothing differs");
    return {compare, repair};
  }

  void perform(StepContext& context, const std::string& action) override {
    if (action == "repair") {
      context.lockTable();
      readAgain(context, 12, listedKeys(context.state().step(12).fact("verification")));
      context.record(12, "verification_current", "false");
      return;
    }
    const VerifyReport report = verifyScope(context);
    context.record(12, "verification", encodeVerification(report, context.mapping().scheme, kKeysListed));
    context.record(12, "differences_after", differencesJson(report));
    context.record(12, "verification_current", "true");
  }

  Reconciliation reconcile(StepContext& context, const InterruptedEffect& effect) override {
    if (effect.action == "verify") return {false, text("Comparing writes nothing; it is done again.")};
    context.record(12, "verification_current", "false");
    return {false,
            text("Which of the listed keys were read again does not matter: comparing again tells what is left.")};
  }
};

}  // namespace

std::unique_ptr<Step> makeVerifyStep() {
  return std::make_unique<VerifyStep>();
}

}  // namespace tidemark::runbook
