#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/core/progress.h"
#include "engine/monitor/finding.h"
#include "engine/source/source.h"
#include "runbook/profile.h"

namespace tidemark::runbook {

/// What a rehearsal of the straddling transaction showed (step 3).
struct Rehearsal {
  std::string where;              ///< "simulator", or the staging connection as Source::describeConnection prints it.
  std::vector<Finding> findings;  ///< One for each case: the straddler, the change exactly at the boundary.
};

/// What a convergence run against a scratch copy of the sink table proved (step 2).
struct Certification {
  bool passed = false;               ///< The guarded sink passed every part, and every control failed as it must.
  std::vector<std::string> scratch;  ///< Objects it made, by name; all dropped again at the end.
  std::vector<Finding> findings;     ///< One for each part of the suite.
  std::string json;                  ///< The table of figures, JSON.
};

/// Opens what a profile names. The application implements it; the runbook never sees an adapter. Every function may
/// block on a server and is called on the driver's thread. Throws Error. What is opened belongs to the caller.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual std::unique_ptr<Source> openSource(const Profile& profile) = 0;
  virtual std::unique_ptr<Sink> openSink(const Profile& profile) = 0;
  virtual std::unique_ptr<SinkReader> openSinkReader(const Profile& profile) = 0;

  /// Runs the convergence suite in a scratch copy of the mapping's sink table, and drops the copy again.
  virtual Certification certify(const Profile& profile, const TableMapping& mapping, std::stop_token stop,
                                ProgressSink& progress) = 0;
  /// Drops what an interrupted certification left; returns the names of what it dropped.
  virtual std::vector<std::string> dropScratch(const Profile& profile) = 0;
  /// What certify() will do, for showing before: the statements that make the scratch copy.
  virtual std::string certifyStatement(const Profile& profile, const TableMapping& mapping) = 0;

  /// Plays the straddling transaction under the profile's scheme, on the simulator; touches neither source nor sink.
  virtual Rehearsal rehearse(const Profile& profile, std::stop_token stop, ProgressSink& progress) = 0;
};

}  // namespace tidemark::runbook
