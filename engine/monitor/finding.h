#pragma once

#include <string>
#include <string_view>

namespace tidemark {

enum class Severity { Pass, Warning, Failure, Unknown };

/// "pass", "warning", "fail" or "unknown": for journals and JSON.
std::string_view severityName(Severity severity);

/// One measured fact about a source or a sink: what a gate shows. Knows nothing of steps.
struct Finding {
  std::string id;     ///< Stable: "sink.primary_key".
  std::string title;  ///< Short, for people: "Primary key matches the source".
  Severity severity = Severity::Unknown;
  std::string measured;   ///< The value, with its unit.
  std::string limit;      ///< What it is held against; empty when there is no limit.
  std::string source;     ///< Where it was read: "pg_class", "pg_stat_activity".
  std::string hint;       ///< What it means for the data and the way out, when not passed.
  bool waivable = false;  ///< A warning that a second person may waive; requirements of the guard never are.
};

}  // namespace tidemark
