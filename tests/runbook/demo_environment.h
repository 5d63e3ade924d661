#pragma once

#include <functional>
#include <memory>

#include "engine/certify/certify.h"
#include "engine/simulator/demo_world.h"
#include "engine/simulator/rehearsal.h"
#include "engine/sqlite/sqlite_certify.h"
#include "engine/sqlite/sqlite_sink.h"
#include "runbook/environment.h"

namespace tidemark::test {

/// The embedded demo behind the runbook's port, with hooks for what a test wants to go wrong.
class DemoEnvironment final : public runbook::Environment {
 public:
  explicit DemoEnvironment(DemoWorld& world) : m_world(world) {}

  std::unique_ptr<Source> openSource(const runbook::Profile&) override {
    if (onOpenSource) onOpenSource();
    return m_world.openSource();
  }
  std::unique_ptr<Sink> openSink(const runbook::Profile&) override {
    auto sink = m_world.openSink();
    return wrapSink ? wrapSink(std::move(sink)) : std::move(sink);
  }
  std::unique_ptr<SinkReader> openSinkReader(const runbook::Profile&) override {
    return openSqliteReader(m_world.sinkFile());
  }
  /// The suite has tests of its own; here a short answer stands for it.
  runbook::Certification certify(const runbook::Profile&, const TableMapping&, std::stop_token,
                                 ProgressSink&) override {
    ++certifications;
    if (onCertify) onCertify();
    return {certificationPasses, {}, {}, R"({"sinks":[]})"};
  }
  std::vector<std::string> dropScratch(const runbook::Profile&) override {
    return openSqliteCertification(m_world.sinkFile())->dropLeftovers();
  }
  std::string certifyStatement(const runbook::Profile&, const TableMapping&) override { return "scratch copy"; }
  runbook::Rehearsal rehearse(const runbook::Profile& profile, std::stop_token stop, ProgressSink&) override {
    return {"simulator", rehearsalFindings(profile.scheme, tidemark::rehearse(profile.scheme, stop))};
  }

  std::function<void()> onOpenSource;
  std::function<void()> onCertify;
  std::function<std::unique_ptr<Sink>(std::unique_ptr<Sink>)> wrapSink;
  bool certificationPasses = true;
  int certifications = 0;

 private:
  DemoWorld& m_world;
};

inline runbook::Profile demoProfile(const DemoWorld& world) {
  runbook::Profile profile;
  profile.name = "demo";
  profile.environment = "demo";
  profile.source = {"simulator", {}, {}, "orders", {}};
  profile.sink.system = "sqlite";
  profile.sink.file = world.sinkFile().string();
  profile.sink.table = "orders";
  profile.sink.positionColumns = {"source_lsn"};
  profile.sink.markerColumn = "is_deleted";
  profile.limits.batchRows = 200;
  profile.limits.rowsPerBucket = 500;
  profile.limits.sweepCapPermille = 100;
  profile.limits.drainTimeout = std::chrono::seconds(60);
  return profile;
}

}  // namespace tidemark::test
