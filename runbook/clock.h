#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tidemark::runbook {

/// Answers the present time as ISO 8601 UTC with milliseconds: "2026-03-01T09:15:00.125Z". Every time in a run, its
/// journal and its report has this form, so that texts sort as times do.
using Clock = std::function<std::string()>;

/// The system's clock in that form.
std::string utcNow();

/// Seconds from `earlier` to `later`, negative when they are the wrong way round; 0 when a text is no time.
std::int64_t secondsBetween(const std::string& earlier, const std::string& later);

/// "1 h 05 min", "3 min 20 s", "12 s": never ambiguous. English; not for parsing.
std::string displayDuration(std::int64_t seconds);

}  // namespace tidemark::runbook
