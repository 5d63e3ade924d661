#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engine/core/error.h"
#include "runbook/run_driver.h"
#include "runbook/state_machine.h"
#include "runbook/step_context.h"

namespace tidemark::runbook {

/// What a driver holds: the journal, the state that it tells, and the connections. Every event passes through enact(),
/// which asks the state machine, then journals, then takes the new state. Private to the driver.
class RunSession final : public StepContext, private ProgressSink {
 public:
  RunSession(Environment& environment, Profile profile, std::unique_ptr<Journal> journal, RunObserver* observer,
             DriverOptions options);

  /// Fills in time, user and plan digest. Throws Error "run.not_allowed" or of the journal; the state is then as
  /// before.
  std::vector<Effect> enact(RunEvent event);
  /// Takes the state that the journal tells, before the first enact().
  void restore(RunState state);
  RunState copyOfState() const;
  void dropConnections();
  void notifyGates(int step, const std::vector<Gate>& gates);
  void unlockTable();
  /// Connection texts for the banner; empty where nothing was opened yet.
  Banner banner() const;
  void freshStop();
  void requestStop();
  Journal& journal() { return *m_journal; }
  const DriverOptions& options() const { return m_options; }
  RunError asRunError(const Error& problem) const;

  const RunState& state() const override { return m_state; }
  const Profile& profile() const override { return m_profile; }
  Environment& environment() override { return m_environment; }
  Source& source() override;
  SinkReader& reader() override;
  Sink& sink() override;
  const TableMapping& mapping() override;
  void record(int step, const std::string& name, const std::string& json) override;
  void recordLineage(const Lineage& lineage) override;
  void freezePlan(const std::string& json) override;
  void lockTable() override;
  std::string now() const override { return m_options.clock(); }
  bool dryRun() const override { return m_options.dryRun; }
  std::filesystem::path folder() const override { return m_journal->file().parent_path(); }
  std::stop_token stopToken() const override;
  ProgressSink& progress() override { return *this; }
  PauseControl& pauseControl() override { return m_pause; }
  BoundaryOptions boundaryOptions() const override;
  BoundaryObserver boundaryObserver() override;

 private:
  void report(const Progress& progress) override;

  Environment& m_environment;
  Profile m_profile;
  std::unique_ptr<Journal> m_journal;
  RunObserver* m_observer;
  DriverOptions m_options;
  mutable std::mutex m_mutex;  ///< Guards m_state for copyOfState(), and m_stop and the texts of the banner.
  RunState m_state;
  std::stop_source m_stop;
  std::string m_sourceText;
  std::string m_sinkText;
  PauseControl m_pause;
  std::unique_ptr<Source> m_source;
  std::unique_ptr<SinkReader> m_reader;
  std::unique_ptr<Sink> m_sink;
  std::optional<TableMapping> m_mapping;
};

}  // namespace tidemark::runbook
