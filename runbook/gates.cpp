#include "runbook/gates.h"

namespace tidemark::runbook {

namespace {

GateResult resultOf(Severity severity) {
  switch (severity) {
    case Severity::Pass:
      return GateResult::Pass;
    case Severity::Warning:
      return GateResult::Warn;
    case Severity::Failure:
      return GateResult::Fail;
    case Severity::Unknown:
      return GateResult::Unknown;
  }
  return GateResult::Unknown;
}

Gate made(GateResult result, const std::string& id, const std::string& title, const std::string& measured,
          const std::string& source, const std::string& hint) {
  Gate gate;
  gate.id = id;
  gate.title = title;
  gate.result = result;
  gate.measured = measured;
  gate.source = source;
  gate.hint = hint;
  return gate;
}

}  // namespace

Gate gateFrom(const Finding& finding, std::int64_t validForSeconds) {
  Gate gate =
      made(resultOf(finding.severity), finding.id, finding.title, finding.measured, finding.source, finding.hint);
  gate.limit = finding.limit;
  gate.waivable = finding.waivable && gate.result == GateResult::Warn;
  gate.validForSeconds = validForSeconds;
  return gate;
}

void addGates(std::vector<Gate>& gates, const std::vector<Finding>& findings) {
  for (const Finding& each : findings) gates.push_back(gateFrom(each));
}

Gate passed(const std::string& id, const std::string& title, const std::string& measured, const std::string& source) {
  return made(GateResult::Pass, id, title, measured, source, {});
}

Gate failed(const std::string& id, const std::string& title, const std::string& measured, const std::string& source,
            const std::string& hint) {
  return made(GateResult::Fail, id, title, measured, source, hint);
}

Gate unknown(const std::string& id, const std::string& title, const std::string& hint) {
  return made(GateResult::Unknown, id, title, {}, {}, hint);
}

Gate notApplicable(const std::string& id, const std::string& title, const std::string& reason) {
  return made(GateResult::DoesNotApply, id, title, {}, {}, reason);
}

Gate check(bool holds, const std::string& id, const std::string& title, const std::string& measured,
           const std::string& source, const std::string& hint) {
  return holds ? passed(id, title, measured, source) : failed(id, title, measured, source, hint);
}

Gate failedBy(const std::string& id, const std::string& title, const Error& problem) {
  return made(GateResult::Fail, id, title, problem.what(), problem.code(), problem.detail().hint);
}

Gate asOutcome(Gate gate) {
  gate.outcome = true;
  return gate;
}

Gate asWaivable(Gate gate) {
  if (gate.result == GateResult::Fail) {
    gate.result = GateResult::Warn;
    gate.waivable = true;
  }
  return gate;
}

}  // namespace tidemark::runbook
