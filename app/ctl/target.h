#pragma once

#include <memory>
#include <string>

#include "app/ctl/options.h"
#include "app/wiring/adapter_environment.h"
#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::ctl {

/// Both sides of a profile, opened for reading, with the mapping that both catalogues give.
struct Target {
  runbook::Profile profile;
  std::unique_ptr<Source> source;
  std::unique_ptr<SinkReader> sink;
  TableMapping mapping;
};

/// Opens what --profile names. Throws Error of profile, source or sink.
Target openTarget(app::AdapterEnvironment& environment, const Options& options);

/// The scope of --range-from, --range-to and --filter. Throws Error "answer.invalid" for a key that does not
/// fit the table, or "filter.does_not_parse".
Scope readScope(const Options& options, Target& target);

}  // namespace tidemark::ctl
