#include <nlohmann/json.hpp>

#include "app/ctl/boundary_watch.h"
#include "app/ctl/commands.h"
#include "app/ctl/target.h"
#include "engine/sweep/ghost_preview.h"
#include "runbook/verification.h"

namespace tidemark::ctl {

using nlohmann::ordered_json;

ExitCode sweepCommand(const Options& options, Terminal& terminal, std::stop_token stop) {
  app::AdapterEnvironment environment;
  Target target = openTarget(environment, options);
  const Scope scope = readScope(options, target);
  const BoundaryOptions boundary{target.profile.scheme, target.profile.limits.boundaryTimeout,
                                 target.profile.source.slot, target.mapping.source};
  const GhostPreview preview = previewGhosts(
      *target.source, *target.sink, target.mapping, scope, boundary, boundaryWatch(terminal), stop, terminal,
      [&] { runbook::letTheStreamCatchUp(*target.source, *target.sink, target.mapping, stop); });
  ordered_json sample = ordered_json::array();
  for (const auto& row : preview.sample) {
    sample.push_back({{"key", row.key}, {"position", displayPosition(target.profile.scheme, row.position)}});
  }
  const std::string at = displayPosition(target.profile.scheme, preview.boundary.position);
  terminal.say("Rows of " + target.mapping.sink.display() + " that the source no longer has: " +
               grouped(preview.ghosts) + " of " + grouped(preview.liveInScope) + " live rows in scope, below " + at);
  for (const auto& row : preview.sample) {
    terminal.say("  " + displayKey(row.key) + " stored at " + displayPosition(target.profile.scheme, row.position));
  }
  if (preview.ghosts > preview.sample.size()) terminal.say("  … and more");
  if (preview.ghosts > 0) terminal.say("Nothing was changed. To mark them as deleted, take a run through step 11.");
  if (terminal.json()) {
    terminal.document(ordered_json{
        {"ghosts", preview.ghosts},
        {"live_in_scope", preview.liveInScope},
        {"source_keys", preview.sourceKeys},
        {"boundary", at},
        {"sample",
         sample}}.dump(2));
  }
  return preview.ghosts == 0 ? ExitCode::Passed : ExitCode::DifferencesFound;
}

}  // namespace tidemark::ctl
