#pragma once

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

ReportModel buildReport(const Journal& journal);

/// Canonical JSON: sorted keys, integers only, LF, UTF-8, two spaces of indent, newline at the end.
std::string reportJson(const ReportModel& report);
/// One self-contained page: no script, no link to anywhere.
std::string reportHtml(const ReportModel& report);

}  // namespace tidemark::runbook
