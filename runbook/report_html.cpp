#include <algorithm>

#include <nlohmann/json.hpp>

#include "runbook/clock.h"
#include "runbook/report.h"
#include "runbook/step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

using nlohmann::json;

namespace {

constexpr const char* kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68em; margin: 2em auto; padding: 0 1em; color: #1d2329; background: #fff; }
h1 { margin-bottom: 0; } h2 { margin-top: 2em; border-bottom: 1px solid #cfd6dd; }
table { border-collapse: collapse; width: 100%; margin: .6em 0; }
th, td { text-align: left; vertical-align: top; padding: .3em .6em; border-bottom: 1px solid #e3e8ed; overflow-wrap: anywhere; }
pre { background: #f4f6f8; padding: .7em; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.word { font-weight: 600; } .fail, .unknown, .stale, .failed { color: #9b1c1c; } .pass, .done { color: #17603a; }
.warn { color: #7a4b00; } .small { color: #56606a; font-size: 13px; }
table.gates { table-layout: fixed; } table.gates th { overflow-wrap: normal; }
table.gates th:nth-child(1) { width: 26%; } table.gates th:nth-child(2) { width: 8.5em; }
table.gates th:nth-child(4) { width: 14%; } table.gates th:nth-child(5) { width: 15em; }
@media print { h2 { break-after: avoid; } pre { white-space: pre-wrap; } }
)";

std::string escaped(const std::string& value) {
  std::string result;
  for (const char each : value) {
    switch (each) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += each;
    }
  }
  return result;
}

std::string cell(const std::string& value) {
  return "<td>" + escaped(value) + "</td>";
}

std::string row(const std::string& name, const std::string& value) {
  return "<tr><th scope=\"row\">" + escaped(name) + "</th>" + cell(value) + "</tr>\n";
}

std::string wordOf(std::string_view word) {
  std::string words(word);
  std::replace(words.begin(), words.end(), '_', ' ');
  return "<span class=\"word " + std::string(word) + "\">" + escaped(text(words.c_str())) + "</span>";
}

std::string duration(const StepState& step) {
  if (step.startedAt.empty() || step.finishedAt.empty()) return {};
  return displayDuration(secondsBetween(step.startedAt, step.finishedAt));
}

std::string gatesTable(const StepState& step) {
  if (step.gates.empty()) return {};
  std::string html = "<table class=\"gates\"><thead><tr><th>" + escaped(text("Gate")) + "</th><th>" +
                     escaped(text("Result")) + "</th><th>" + escaped(text("Measured")) + "</th><th>" +
                     escaped(text("Limit")) + "</th><th>" + escaped(text("Read from, at (UTC)")) +
                     "</th></tr></thead><tbody>\n";
  for (const Gate& each : step.gates) {
    std::string measured = each.measured + (each.unit.empty() ? "" : " " + each.unit);
    if (!each.hint.empty()) measured += (measured.empty() ? "" : " — ") + each.hint;
    html += "<tr>" + cell(each.title) + "<td>" + wordOf(resultName(each.result)) +
            (each.waiver ? " " + escaped(text("(waived)")) : "") + "</td>" + cell(measured) + cell(each.limit) +
            "<td>" + escaped(each.source) + "<br><span class=\"small\">" + escaped(each.measuredAt) +
            "</span></td></tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string answersTable(const StepState& step) {
  if (step.answers.empty()) return {};
  std::string html = "<table><tbody>\n";
  for (const auto& [question, answer] : step.answers) {
    html += row(question, answer.value + "  (" + answer.user + ", " + answer.time + ")");
  }
  return html + "</tbody></table>\n";
}

std::string evidenceDetails(const StepState& step) {
  std::string html;
  for (const auto& [name, fact] : step.evidence) {
    html += "<details><summary>" + escaped(name) + "</summary><pre>" + escaped(json::parse(fact).dump(2)) +
            "</pre></details>\n";
  }
  return html;
}

std::string stepSection(const StepState& step) {
  const StepInfo& info = stepInfos().at(static_cast<std::size_t>(step.number - 1));
  std::string html = "<section><h3>" + std::to_string(step.number) + ". " + escaped(info.title) + " — " +
                     wordOf(statusName(step.status)) + "</h3>\n<p class=\"small\">" + escaped(step.startedAt) + " – " +
                     escaped(step.finishedAt) + " " + escaped(duration(step)) + "</p>\n";
  if (!step.skippedBecause.empty()) html += "<p>" + escaped(step.skippedBecause) + "</p>\n";
  if (step.lastError)
    html += "<p class=\"fail\">" + escaped(step.lastError->message + " " + step.lastError->hint) + "</p>\n";
  return html + gatesTable(step) + answersTable(step) + evidenceDetails(step) + "</section>\n";
}

std::string differences(const RunState& run, int step, const std::string& fact) {
  const std::string found = run.step(step).fact(fact);
  if (found.empty()) return text("not measured");
  const json value = json::parse(found);
  return text("%1 missing, %2 stale, %3 ghosts", value.at("missing").dump(), value.at("stale").dump(),
              value.at("ghost").dump());
}

std::string summary(const ReportModel& report) {
  const RunState& run = report.run;
  std::string html = "<table><tbody>\n";
  if (!run.profileJson.empty()) {
    const json profile = json::parse(run.profileJson);
    html += row(text("Profile"), profile.at("name").get<std::string>());
    html += row(text("Environment"), profile.at("environment").get<std::string>());
    html += row(text("Tables"), profile.at("source").at("table").get<std::string>() + " → " +
                                    profile.at("sink").at("table").get<std::string>());
  }
  const std::string connection = run.step(2).fact("connection");
  if (!connection.empty()) {
    html += row(text("Source"), json::parse(connection).at("source").get<std::string>());
    html += row(text("Sink"), json::parse(connection).at("sink").get<std::string>());
  }
  html += row(text("Begun"), run.createdAt + " (" + run.createdBy + ")");
  html += row(text("State"), text(std::string(phaseName(run.phase)).c_str()) + " " + run.finishedAt);
  html += row(text("Signed off by"), run.signedOffBy);
  html += row(text("Differences before"), differences(run, 5, "differences_before"));
  html += row(text("Differences after"), differences(run, 12, "differences_after"));
  html += row(text("Lineage"), run.lineage);
  html += row(text("Plan's digest (SHA-256)"), run.planDigest);
  html += row(text("Journal's head (SHA-256)"), report.journalHead);
  return html + "</tbody></table>\n";
}

std::string waivers(const RunState& run) {
  const auto waived = run.waivedGates();
  if (waived.empty()) return "<p>" + escaped(text("No gate was waived.")) + "</p>\n";
  std::string html = "<table><tbody>\n";
  for (const auto& [step, gate] : waived) {
    html += row(std::to_string(step) + ". " + gate.title,
                text("%1 — waived by %2 with %3 at %4: %5", gate.measured, gate.waiver->user, gate.waiver->secondPerson,
                     gate.waiver->time, gate.waiver->reason));
  }
  return html + "</tbody></table>\n";
}

std::string journalTable(const ReportModel& report) {
  std::string html = "<table><thead><tr><th>#</th><th>" + escaped(text("Time (UTC)")) + "</th><th>" +
                     escaped(text("Entry")) + "</th><th>" + escaped(text("Hash")) + "</th></tr></thead><tbody>\n";
  for (const JournalEntry& each : report.entries) {
    html += "<tr>" + cell(std::to_string(each.sequence)) + cell(each.time) + cell(each.kind) +
            cell(each.hash.substr(0, 16)) + "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string reportHtml(const ReportModel& report) {
  const std::string title = text("Backfill run %1", report.run.runId);
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
                     "</title><style>" + kStyle + "</style></head><body>\n<h1>" + escaped(title) + "</h1>\n";
  html += summary(report);
  html += "<h2>" + escaped(text("Waivers")) + "</h2>\n" + waivers(report.run);
  html += "<h2>" + escaped(text("Steps")) + "</h2>\n";
  for (const StepState& each : report.run.steps) html += stepSection(each);
  if (report.run.planFrozen()) {
    html += "<h2>" + escaped(text("Plan")) + "</h2>\n<pre>" + escaped(json::parse(report.run.planJson).dump(2)) +
            "</pre>\n";
  }
  html += "<h2>" + escaped(text("Journal")) + "</h2>\n" + journalTable(report);
  return html + "</body></html>\n";
}

}  // namespace tidemark::runbook
