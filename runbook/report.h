#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runbook/journal.h"
#include "runbook/run_state.h"

namespace tidemark::runbook {

/// All that a report says; JSON, HTML and later forms are drawn from it alone. Built from the journal: no clock and
/// no server, so the same journal always gives the same report.
struct ReportModel {
  RunState run;
  std::string journalHead;
  std::vector<JournalEntry> entries;
};

/// From the entries of a journal that was opened, and so checked.
ReportModel buildReport(const Journal& journal);

/// Canonical JSON: sorted keys, integers only, LF, UTF-8, two spaces of indent, newline at the end.
std::string reportJson(const ReportModel& report);
/// One self-contained page: no script, no link to anywhere.
std::string reportHtml(const ReportModel& report);

/// Writes one form of the report, whole or not at all; the page when the file's name ends in .html, canonical JSON
/// otherwise. Throws Error "report.file".
void writeReport(const ReportModel& report, const std::filesystem::path& file);

/// Writes report.json and report.html into a run's folder, replacing earlier ones; returns the page.
std::filesystem::path writeReports(const ReportModel& report, const std::filesystem::path& runFolder);

}  // namespace tidemark::runbook
