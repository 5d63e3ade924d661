#include "engine/monitor/finding.h"

namespace tidemark {

std::string_view severityName(Severity severity) {
  switch (severity) {
    case Severity::Pass:
      return "pass";
    case Severity::Warning:
      return "warning";
    case Severity::Failure:
      return "fail";
    case Severity::Unknown:
      break;
  }
  return "unknown";
}

}  // namespace tidemark
