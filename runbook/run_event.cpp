#include "runbook/run_event.h"

#include <array>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/codec.h"

namespace tidemark::runbook {

using nlohmann::json;

namespace {

constexpr std::array<std::pair<EventKind, std::string_view>, 22> kKinds{{
    {EventKind::RunCreated, "run_created"},
    {EventKind::RunOpened, "run_opened"},
    {EventKind::LockTakenOver, "lock_taken_over"},
    {EventKind::StepStarted, "step_started"},
    {EventKind::GatesMeasured, "gates_measured"},
    {EventKind::Answered, "answered"},
    {EventKind::Waived, "waived"},
    {EventKind::Armed, "armed"},
    {EventKind::Disarmed, "disarmed"},
    {EventKind::EvidenceRecorded, "evidence_recorded"},
    {EventKind::LineageRead, "lineage_read"},
    {EventKind::PlanFrozen, "plan_frozen"},
    {EventKind::EffectAnnounced, "effect_announced"},
    {EventKind::EffectFinished, "effect_finished"},
    {EventKind::EffectReconciled, "effect_reconciled"},
    {EventKind::ResumeAccepted, "resume_accepted"},
    {EventKind::StepFinished, "step_finished"},
    {EventKind::StepSkipped, "step_skipped"},
    {EventKind::StepFailed, "step_failed"},
    {EventKind::StepReopened, "step_reopened"},
    {EventKind::RunFinished, "run_finished"},
    {EventKind::RunAbandoned, "run_abandoned"},
}};

constexpr std::array<std::pair<Outcome, std::string_view>, 4> kOutcomes{{
    {Outcome::Succeeded, "succeeded"},
    {Outcome::Failed, "failed"},
    {Outcome::Cancelled, "cancelled"},
    {Outcome::InDoubt, "in_doubt"},
}};

void put(json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

bool carriesOutcome(EventKind kind) {
  return kind == EventKind::EffectFinished || kind == EventKind::EffectReconciled;
}

RunEvent fieldsOf(const json& object) {
  RunEvent event;
  event.user = object.value("user", std::string());
  event.step = object.value("step", 0);
  event.id = object.value("id", std::string());
  event.text = object.value("text", std::string());
  if (object.contains("json")) event.json = object.at("json").dump();
  event.secondPerson = object.value("second_person", std::string());
  event.effect = object.value("effect", std::int64_t{0});
  event.writes = object.value("writes", false);
  event.planDigest = object.value("plan", std::string());
  if (object.contains("outcome")) {
    const auto word = object.at("outcome").get<std::string>();
    for (const auto& [outcome, name] : kOutcomes) {
      if (name == word) event.outcome = outcome;
    }
  }
  for (const json& gate : object.value("gates", json::array())) event.gates.push_back(decodeGate(gate.dump()));
  if (object.contains("error")) event.error = decodeRunError(object.at("error").dump());
  return event;
}

}  // namespace

std::string_view eventName(EventKind kind) {
  for (const auto& [each, name] : kKinds) {
    if (each == kind) return name;
  }
  return {};
}

std::string_view outcomeName(Outcome outcome) {
  for (const auto& [each, name] : kOutcomes) {
    if (each == outcome) return name;
  }
  return {};
}

std::string encodeEvent(const RunEvent& event) {
  json object = json::object();
  put(object, "user", event.user);
  put(object, "id", event.id);
  put(object, "text", event.text);
  put(object, "second_person", event.secondPerson);
  put(object, "plan", event.planDigest);
  if (event.step != 0) object["step"] = event.step;
  if (event.effect != 0) object["effect"] = event.effect;
  if (event.writes) object["writes"] = true;
  if (!event.json.empty()) object["json"] = json::parse(event.json);
  if (carriesOutcome(event.kind)) object["outcome"] = outcomeName(event.outcome);
  for (const Gate& gate : event.gates) object["gates"].push_back(json::parse(encodeGate(gate)));
  if (event.error) object["error"] = json::parse(encodeRunError(*event.error));
  return canonicalDump(object);
}

RunEvent decodeEvent(const std::string& kind, const std::string& time, const std::string& payload) {
  try {
    RunEvent event = fieldsOf(json::parse(payload));
    event.time = time;
    for (const auto& [each, name] : kKinds) {
      if (name != kind) continue;
      event.kind = each;
      return event;
    }
  } catch (const json::exception& problem) {
    throw Error("journal.payload", "A journal entry of kind " + kind + " holds no readable payload.",
                {.hint = "The journal was written by another program or version; open it with that one.",
                 .technical = problem.what()});
  }
  throw Error("journal.payload", "The journal holds an entry of the unknown kind " + kind + ".",
              {.hint = "It was written by a newer version of this program; open it with that one."});
}

}  // namespace tidemark::runbook
