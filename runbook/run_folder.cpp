#include "runbook/run_folder.h"

#include <algorithm>
#include <tuple>

#include <QRandomGenerator>

#include "engine/core/error.h"
#include "runbook/profile.h"
#include "runbook/run_driver.h"
#include "runbook/state_machine.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

constexpr const char* kJournalName = "journal.sqlite";

RunSummary summaryOf(const std::filesystem::path& folder, const std::string& runId) {
  RunSummary summary;
  summary.runId = runId;
  try {
    const auto journal = Journal::open(journalFile(folder, runId), Journal::Access::ReadOnly);
    const RunState state = replay(journal->events());
    if (!state.profileJson.empty()) {
      const Profile profile = parseProfile(state.profileJson);
      summary.profileName = profile.name;
      summary.environment = profile.environment;
    }
    summary.createdAt = state.createdAt;
    summary.createdBy = state.createdBy;
    summary.phase = state.phase;
    summary.currentStep = state.currentStep();
    const auto holder = journal->holder();
    summary.interrupted = state.interrupted.has_value() || (state.running.has_value() && !holder);
    if (holder) {
      summary.lockedBy = text("%1 on %2, process %3, since %4", holder->user, holder->host, std::to_string(holder->pid),
                              holder->since);
    }
  } catch (const Error& problem) {
    summary.problem = problem.what();
  }
  return summary;
}

}  // namespace

std::string newRunId(const std::string& now) {
  std::string digits;
  std::copy_if(now.begin(), now.end(), std::back_inserter(digits),
               [](char each) { return each >= '0' && each <= '9'; });
  digits.resize(14, '0');
  const QString tail = QStringLiteral("%1").arg(QRandomGenerator::system()->bounded(0x10000), 4, 16, QLatin1Char('0'));
  return digits.substr(0, 8) + "-" + digits.substr(8) + "-" + tail.toStdString();
}

void makeRunFolder(const std::filesystem::path& folder, const std::string& runId) {
  std::error_code problem;
  std::filesystem::create_directories(folder / runId, problem);
  if (!problem) {
    std::filesystem::permissions(folder / runId, std::filesystem::perms::owner_all, problem);
  }
  if (!problem) return;
  throw Error("run.folder", text("The folder %1 cannot be made.", (folder / runId).string()),
              {.hint = text("Name a folder that you may write in."), .technical = problem.message()});
}

std::filesystem::path journalFile(const std::filesystem::path& folder, const std::string& runId) {
  return folder / runId / kJournalName;
}

RunState readRun(const std::filesystem::path& folder, const std::string& runId) {
  return replay(Journal::open(journalFile(folder, runId), Journal::Access::ReadOnly)->events());
}

std::vector<RunSummary> listRuns(const std::filesystem::path& folder) {
  std::vector<RunSummary> result;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (std::filesystem::exists(entry.path() / kJournalName, ignored))
      result.push_back(summaryOf(folder, entry.path().filename().string()));
  }
  // By the journal's own time: ids of one second say nothing about which came first. One that cannot be read goes last.
  std::sort(result.begin(), result.end(), [](const RunSummary& a, const RunSummary& b) {
    return std::tie(a.createdAt, a.runId) > std::tie(b.createdAt, b.runId);
  });
  return result;
}

}  // namespace tidemark::runbook
