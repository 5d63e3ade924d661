#include <nlohmann/json.hpp>

#include "app/ctl/commands.h"
#include "app/ctl/target.h"
#include "engine/verify/verify.h"
#include "runbook/verification.h"

namespace tidemark::ctl {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kKeysPrinted = 20;

ordered_json toJson(const VerifyReport& report, PositionScheme scheme) {
  ordered_json differences = ordered_json::array();
  for (const auto& difference : report.differences) {
    ordered_json item{{"key", difference.key}, {"kind", differenceName(difference.kind)}};
    item["sink_position"] =
        difference.sinkPosition ? ordered_json(displayPosition(scheme, *difference.sinkPosition)) : ordered_json();
    item["columns"] = difference.columns;
    differences.push_back(std::move(item));
  }
  return {{"method", report.method},
          {"source_rows", report.sourceRows},
          {"sink_live_rows", report.sinkLiveRows},
          {"differing_first_pass", report.differingFirstPass},
          {"missing", report.missing},
          {"ghost", report.ghosts},
          {"stale", report.stale},
          {"different_at_same_position", report.differentAtSamePosition},
          {"in_flight", report.inFlight},
          {"source_digest", report.sourceDigest},
          {"sink_digest", report.sinkDigest},
          {"differences", differences}};
}

}  // namespace

ExitCode verifyCommand(const Options& options, Terminal& terminal, std::stop_token stop) {
  app::AdapterEnvironment environment;
  Target target = openTarget(environment, options);
  const Scope scope = readScope(options, target);
  VerifyOptions verifyOptions;
  verifyOptions.rowsPerBucket = target.profile.limits.rowsPerBucket;
  verifyOptions.connections = target.profile.limits.verifyConnections;
  verifyOptions.betweenPasses = [&] {
    runbook::letTheStreamCatchUp(*target.source, *target.sink, target.mapping, stop);
  };
  const VerifyReport report =
      verify(*target.source, *target.sink, target.mapping, scope, verifyOptions, stop, terminal);
  terminal.say("Source rows " + grouped(report.sourceRows) + ", live sink rows " + grouped(report.sinkLiveRows) +
               ", compared by " + report.method);
  terminal.say("missing " + grouped(report.missing) + ", ghost " + grouped(report.ghosts) + ", stale " +
               grouped(report.stale) + ", in flight " + grouped(report.inFlight));
  for (std::size_t i = 0; i < report.differences.size() && i < kKeysPrinted; ++i) {
    const auto& difference = report.differences[i];
    terminal.say("  " + std::string(differenceName(difference.kind)) + " " + displayKey(difference.key));
  }
  if (report.differences.size() > kKeysPrinted) terminal.say("  … the whole list is in --json");
  if (terminal.json()) terminal.document(toJson(report, target.profile.scheme).dump(2));
  return report.toRepair() == 0 ? ExitCode::Passed : ExitCode::DifferencesFound;
}

}  // namespace tidemark::ctl
