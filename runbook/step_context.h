#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "engine/boundary/boundary.h"
#include "engine/core/progress.h"
#include "engine/load/load.h"
#include "runbook/environment.h"
#include "runbook/profile.h"
#include "runbook/run_state.h"

namespace tidemark::runbook {

/// What a step may touch. Connections are opened on first use and opened anew after an error. Driver's thread only.
class StepContext {
 public:
  virtual ~StepContext() = default;

  virtual const RunState& state() const = 0;
  virtual const Profile& profile() const = 0;
  virtual Environment& environment() = 0;
  virtual Source& source() = 0;
  virtual SinkReader& reader() = 0;
  /// For writes, and for showing their statements.
  virtual Sink& sink() = 0;
  /// From the profile and both catalogues as they are now. Throws Error as buildMapping and describe do.
  virtual const TableMapping& mapping() = 0;

  /// Journals a named fact of a step, canonical JSON.
  virtual void record(int step, const std::string& name, const std::string& json) = 0;
  /// Journals the source's lineage, once.
  virtual void recordLineage(const Lineage& lineage) = 0;
  /// Journals the plan with its digest.
  virtual void freezePlan(const std::string& json) = 0;
  /// Takes the sink's table lock for this run (again). Throws Error "sink.locked".
  virtual void lockTable() = 0;

  virtual std::string now() const = 0;
  virtual bool dryRun() const = 0;
  /// Where key lists lie: the run's own folder.
  virtual std::filesystem::path folder() const = 0;
  virtual std::stop_token stopToken() const = 0;
  virtual ProgressSink& progress() = 0;
  virtual PauseControl& pauseControl() = 0;
  virtual BoundaryOptions boundaryOptions() const = 0;
  virtual BoundaryObserver boundaryObserver() = 0;
};

}  // namespace tidemark::runbook
