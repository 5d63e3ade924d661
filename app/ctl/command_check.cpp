#include <nlohmann/json.hpp>

#include "app/ctl/commands.h"
#include "app/ctl/target.h"

namespace tidemark::ctl {

namespace {

using nlohmann::ordered_json;

void printFinding(const Finding& finding, Terminal& terminal) {
  std::string line = std::string(severityName(finding.severity));
  line.resize(9, ' ');
  line += finding.title;
  if (!finding.measured.empty()) line += ": " + finding.measured;
  if (!finding.limit.empty()) line += " (limit " + finding.limit + ")";
  terminal.say(line);
  if (finding.severity != Severity::Pass && !finding.hint.empty()) terminal.say("         " + finding.hint);
}

ordered_json toJson(const Finding& finding) {
  return {{"id", finding.id},
          {"title", finding.title},
          {"result", severityName(finding.severity)},
          {"measured", finding.measured},
          {"limit", finding.limit},
          {"source", finding.source},
          {"hint", finding.hint},
          {"waivable", finding.waivable}};
}

}  // namespace

ExitCode checkCommand(const Options& options, Terminal& terminal, std::stop_token) {
  app::AdapterEnvironment environment;
  Target target = openTarget(environment, options);
  const Scope scope = readScope(options, target);
  ordered_json document{{"source", target.source->describeConnection()},
                        {"sink", target.sink->describeConnection()},
                        {"table", target.mapping.sink.display()},
                        {"findings", ordered_json::array()}};
  bool shut = false;
  const auto take = [&](const std::string& heading, const std::vector<Finding>& findings) {
    terminal.say(heading);
    for (const auto& finding : findings) {
      printFinding(finding, terminal);
      document["findings"].push_back(toJson(finding));
      shut = shut || finding.severity == Severity::Failure;
    }
    terminal.say();
  };
  take("Source " + target.mapping.source.display() + " on " + target.source->describeConnection(),
       target.source->inspect(target.mapping, scope));
  take("Log of the source", target.source->inspectLog());
  take("Sink " + target.mapping.sink.display() + " on " + target.sink->describeConnection(),
       target.sink->inspect(target.mapping, scope));
  document["passed"] = !shut;
  terminal.say(shut ? "A requirement is not met: no backfill into this table before it is."
                    : "Every requirement is met.");
  if (terminal.json()) terminal.document(document.dump(2));
  return shut ? ExitCode::GateShut : ExitCode::Passed;
}

}  // namespace tidemark::ctl
