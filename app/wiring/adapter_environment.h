#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "engine/certify/certify.h"
#include "engine/simulator/demo_world.h"
#include "runbook/environment.h"

namespace tidemark::app {

/// Opens the adapters that a profile names: the only place where runbook and database products meet. Both programs use
/// it. A profile whose source is the simulator brings its live writers with it: they start with the first connection
/// and stop with the environment.
class AdapterEnvironment final : public runbook::Environment {
 public:
  /// `demo` says how a demo world is made and driven when a profile names the simulator.
  explicit AdapterEnvironment(DemoOptions demo = {});
  ~AdapterEnvironment() override;

  std::unique_ptr<Source> openSource(const runbook::Profile& profile) override;
  std::unique_ptr<Sink> openSink(const runbook::Profile& profile) override;
  std::unique_ptr<SinkReader> openSinkReader(const runbook::Profile& profile) override;
  runbook::Certification certify(const runbook::Profile& profile, const TableMapping& mapping, std::stop_token stop,
                                 ProgressSink& progress) override;
  std::vector<std::string> dropScratch(const runbook::Profile& profile) override;
  std::string certifyStatement(const runbook::Profile& profile, const TableMapping& mapping) override;
  runbook::Rehearsal rehearse(const runbook::Profile& profile, std::stop_token stop, ProgressSink& progress) override;

  /// The dialect that the profile's sink speaks, for certification alone. Throws Error "profile.field".
  static std::unique_ptr<CertifyDialect> openCertification(const runbook::Profile& profile);
  /// The running demo world of a simulator profile, started on first use. Owned by the environment.
  DemoWorld& demoWorld(const runbook::Profile& profile);

 private:
  DemoOptions m_demoOptions;
  std::mutex m_mutex;
  std::filesystem::path m_demoFolder;
  std::unique_ptr<DemoWorld> m_demo;
};

/// The table of `tidemarkctl certify --json`: {"sinks": […]} in the order of the law's table.
std::string certificateJson(const Certificate& certificate);

/// Where runs are kept unless the operator says otherwise: $XDG_DATA_HOME/tidemark/runs, or below ~/.local/share.
std::filesystem::path defaultRunFolder();
/// Where the demo keeps its two databases: beside the runs.
std::filesystem::path defaultDemoFolder();
/// The profile of the demo whose databases lie in `folder`.
runbook::Profile demoProfile(const std::filesystem::path& folder);

}  // namespace tidemark::app
