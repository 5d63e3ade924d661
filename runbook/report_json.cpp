#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/report.h"
#include "runbook/state_machine.h"

namespace tidemark::runbook {

using nlohmann::json;

namespace {

json answersJson(const StepState& step) {
  json result = json::object();
  for (const auto& [question, answer] : step.answers) {
    result[question] = {{"value", answer.value}, {"user", answer.user}, {"time", answer.time}};
  }
  return result;
}

json evidenceJson(const StepState& step) {
  json result = json::object();
  for (const auto& [name, fact] : step.evidence) result[name] = json::parse(fact);
  return result;
}

json stepJson(const StepState& step) {
  json gates = json::array();
  for (const Gate& each : step.gates) gates.push_back(json::parse(encodeGate(each)));
  json result{{"number", step.number},
              {"id", step.id},
              {"status", statusName(step.status)},
              {"started_at", step.startedAt},
              {"finished_at", step.finishedAt},
              {"gates", gates},
              {"answers", answersJson(step)},
              {"performed", step.performed},
              {"evidence", evidenceJson(step)}};
  if (!step.skippedBecause.empty()) result["skipped_because"] = step.skippedBecause;
  if (step.lastError) result["last_error"] = json::parse(encodeRunError(*step.lastError));
  return result;
}

json interruptedJson(const InterruptedEffect& effect) {
  return {{"step", effect.step},
          {"action", effect.action},
          {"statement", effect.statement},
          {"announced_at", effect.announcedAt},
          {"outcome", effect.outcome}};
}

json entryJson(const JournalEntry& entry) {
  return {{"sequence", entry.sequence}, {"time", entry.time},
          {"kind", entry.kind},         {"payload", json::parse(entry.payload)},
          {"previous", entry.previous}, {"hash", entry.hash}};
}

}  // namespace

ReportModel buildReport(const Journal& journal) {
  return {replay(journal.events()), journal.head(), journal.entries()};
}

std::string reportJson(const ReportModel& report) {
  const RunState& run = report.run;
  json steps = json::array();
  for (const StepState& each : run.steps) steps.push_back(stepJson(each));
  json entries = json::array();
  for (const JournalEntry& each : report.entries) entries.push_back(entryJson(each));
  json document{{"format", "tidemark-report-1"},
                {"run", run.runId},
                {"phase", phaseName(run.phase)},
                {"created_at", run.createdAt},
                {"created_by", run.createdBy},
                {"finished_at", run.finishedAt},
                {"signed_off_by", run.signedOffBy},
                {"lineage", run.lineage},
                {"plan_digest", run.planDigest},
                {"steps", steps},
                {"journal", {{"head", report.journalHead}, {"entries", entries}}}};
  if (!run.profileJson.empty()) document["profile"] = json::parse(run.profileJson);
  if (run.planFrozen()) document["plan"] = json::parse(run.planJson);
  const auto& open = run.running ? run.running : run.interrupted;
  if (open) document["interrupted"] = interruptedJson(*open);
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace tidemark::runbook
