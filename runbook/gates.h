#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/monitor/finding.h"
#include "runbook/run_state.h"

namespace tidemark::runbook {

/// How long what was measured on a server counts. Gates are measured again before a write all the same.
inline constexpr std::int64_t kSensedForSeconds = 600;

/// A gate as the engine found it.
Gate gateFrom(const Finding& finding, std::int64_t validForSeconds = kSensedForSeconds);
/// Appends a gate for every finding.
void addGates(std::vector<Gate>& gates, const std::vector<Finding>& findings);

/// Gates of a step's own making: open with what was measured; shut, with the way out; not measured yet, which opens
/// nothing.
Gate passed(const std::string& id, const std::string& title, const std::string& measured, const std::string& source);
Gate failed(const std::string& id, const std::string& title, const std::string& measured, const std::string& source,
            const std::string& hint);
Gate unknown(const std::string& id, const std::string& title, const std::string& hint);
/// Was not checked, and need not be: `reason` says why.
Gate notApplicable(const std::string& id, const std::string& title, const std::string& reason);
/// Open when `holds`.
Gate check(bool holds, const std::string& id, const std::string& title, const std::string& measured,
           const std::string& source, const std::string& hint);
/// Shut with the error's own sentence and hint.
Gate failedBy(const std::string& id, const std::string& title, const Error& problem);

/// Marks a gate as one that the step's own actions open.
Gate asOutcome(Gate gate);
/// Turns a failure into a warning that a second person may waive.
Gate asWaivable(Gate gate);

}  // namespace tidemark::runbook
