#pragma once

#include <filesystem>
#include <string>

namespace tidemark::runbook {

/// "20260301-091500-7f3a": sorts by time; the tail keeps two runs of one second apart.
std::string newRunId(const std::string& now);
/// Makes `folder`/`runId`, readable by its owner alone: key lists are data. Throws Error "run.folder".
void makeRunFolder(const std::filesystem::path& folder, const std::string& runId);

}  // namespace tidemark::runbook
