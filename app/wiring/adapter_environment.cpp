#include "app/wiring/adapter_environment.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/postgres/postgres_certify.h"
#include "engine/postgres/postgres_sink.h"
#include "engine/postgres/postgres_source.h"
#include "engine/simulator/demo_seed.h"
#include "engine/simulator/rehearsal.h"
#include "engine/sqlite/sqlite_certify.h"
#include "engine/sqlite/sqlite_sink.h"

namespace tidemark::app {

namespace {

using nlohmann::ordered_json;
using runbook::Profile;

[[noreturn]] void refuseSystem(const std::string& field, const std::string& system) {
  throw Error("profile.field", field + ": '" + system + "' is not a system that this version knows",
              {"Source: postgresql or simulator. Sink: postgresql or sqlite.", {}, {}});
}

Finding certificateFinding(const SinkCertificate& sink, bool broken) {
  Finding finding;
  finding.id = "sink.certify." + sink.name;
  finding.title = broken ? "Broken sink found: " + sink.name : "Guard converges";
  finding.severity = sink.clean() != broken ? Severity::Pass : Severity::Failure;
  finding.measured = std::to_string(sink.shufflesThatDiffer) + " of " + std::to_string(kCertifyShuffles) +
                     " shuffles, " + std::to_string(sink.randomLogsThatFail) + " of " +
                     std::to_string(kCertifyRandomLogs) + " random logs and " + std::to_string(sink.ordersThatDiffer) +
                     " of " + std::to_string(kCertifyOrders) + " orders end differently";
  finding.limit = broken ? "at least 1" : "0";
  finding.source = "convergence suite in a scratch table";
  if (finding.severity == Severity::Failure) {
    finding.hint = broken ? "The suite cannot fail here, so its pass proves nothing: report this as a defect."
                          : "This sink does not converge: nothing may be put into it.";
  }
  return finding;
}

}  // namespace

AdapterEnvironment::AdapterEnvironment(DemoOptions demo) : m_demoOptions(std::move(demo)) {}
AdapterEnvironment::~AdapterEnvironment() = default;

DemoWorld& AdapterEnvironment::demoWorld(const Profile& profile) {
  const std::lock_guard lock(m_mutex);
  const std::filesystem::path folder = profile.source.file;
  if (m_demo && m_demoFolder != folder) m_demo.reset();
  if (!m_demo) {
    m_demo = DemoWorld::open(folder, m_demoOptions);
    m_demoFolder = folder;
    m_demo->start();
  }
  return *m_demo;
}

std::unique_ptr<Source> AdapterEnvironment::openSource(const Profile& profile) {
  runbook::requireSource(profile);
  if (profile.source.system == "postgresql") return openPostgresSource(profile.source.connection, profile.source.slot);
  if (profile.source.system == "simulator") return demoWorld(profile).openSource();
  refuseSystem("source.system", profile.source.system);
}

std::unique_ptr<Sink> AdapterEnvironment::openSink(const Profile& profile) {
  if (profile.sink.system == "postgresql") return openPostgresSink(profile.sink.connection);
  if (profile.sink.system == "sqlite") return openSqliteSink(profile.sink.file);
  refuseSystem("sink.system", profile.sink.system);
}

std::unique_ptr<SinkReader> AdapterEnvironment::openSinkReader(const Profile& profile) {
  if (profile.sink.system == "postgresql") return openPostgresReader(profile.sink.connection);
  if (profile.sink.system == "sqlite") return openSqliteReader(profile.sink.file);
  refuseSystem("sink.system", profile.sink.system);
}

std::unique_ptr<CertifyDialect> AdapterEnvironment::openCertification(const Profile& profile) {
  if (profile.sink.system == "postgresql") return openPostgresCertification(profile.sink.connection);
  if (profile.sink.system == "sqlite") return openSqliteCertification(profile.sink.file);
  refuseSystem("sink.system", profile.sink.system);
}

runbook::Certification AdapterEnvironment::certify(const Profile& profile, const TableMapping&, std::stop_token stop,
                                                   ProgressSink& progress) {
  const auto dialect = openCertification(profile);
  const Certificate certificate = tidemark::certify(*dialect, stop, progress);
  // What an interrupted certification left may have been in use by its dying session until now.
  dialect->dropLeftovers();
  runbook::Certification result;
  result.passed = certificate.passed();
  result.scratch = {dialect->scratchMapping().sink.display()};
  for (std::size_t i = 0; i < certificate.sinks.size(); ++i) {
    result.findings.push_back(certificateFinding(certificate.sinks[i], i > 0));
  }
  result.json = certificateJson(certificate);
  return result;
}

std::vector<std::string> AdapterEnvironment::dropScratch(const Profile& profile) {
  return openCertification(profile)->dropLeftovers();
}

std::string AdapterEnvironment::certifyStatement(const Profile& profile, const TableMapping&) {
  return "Make a scratch copy of " + profile.sink.table + " under a name of its own, run " +
         std::to_string(kCertifyShuffles) + " shuffles, " + std::to_string(kCertifyRandomLogs) + " random logs and " +
         std::to_string(kCertifyOrders) + " orders on it through the guard and through four broken ones, and drop it.";
}

runbook::Rehearsal AdapterEnvironment::rehearse(const Profile& profile, std::stop_token stop, ProgressSink&) {
  return {"simulator", rehearsalFindings(profile.scheme, tidemark::rehearse(profile.scheme, stop))};
}

std::string certificateJson(const Certificate& certificate) {
  ordered_json sinks = ordered_json::array();
  for (const auto& sink : certificate.sinks) {
    ordered_json item{{"name", sink.name},
                      {"same_batch_twice", sink.sameBatchTwice},
                      {"replay_one_by_one", sink.replayOneByOne},
                      {"late_update_after_delete", sink.lateUpdateAfterDelete},
                      {"shuffles_that_differ", sink.shufflesThatDiffer},
                      {"random_logs_that_fail", sink.randomLogsThatFail},
                      {"orders_that_differ", sink.ordersThatDiffer}};
    if (sink.smallest) {
      ordered_json delivery = ordered_json::array();
      for (const auto& event : sink.smallest->delivery) {
        delivery.push_back({{"id", event.id},
                            {"op", event.deleted ? "d" : "u"},
                            {"value", event.value ? ordered_json(*event.value) : ordered_json()},
                            {"position", event.position},
                            {"ts_ms", event.timestamp}});
      }
      item["smallest_failure"] = {{"seed", sink.smallest->seed}, {"delivery", delivery}};
    }
    sinks.push_back(std::move(item));
  }
  return ordered_json{{"sinks", sinks}}.dump(2);
}

std::filesystem::path defaultRunFolder() {
  // The environment is read before any other thread starts.
  if (const char* data = std::getenv("XDG_DATA_HOME");
      data != nullptr && *data != '\0') {  // NOLINT(concurrency-mt-unsafe)
    return std::filesystem::path(data) / "tidemark" / "runs";
  }
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  return std::filesystem::path(home == nullptr ? "." : home) / ".local" / "share" / "tidemark" / "runs";
}

std::filesystem::path defaultDemoFolder() {
  return defaultRunFolder().parent_path() / "demo";
}

Profile demoProfile(const std::filesystem::path& folder) {
  Profile profile;
  profile.name = "demo";
  profile.environment = "demo";
  profile.source.system = "simulator";
  profile.source.file = folder.string();
  const TableMapping mapping = demoMapping();
  profile.source.table = mapping.source.display();
  profile.sink.system = "sqlite";
  profile.sink.file = simulator::demoSinkFile(folder).string();
  profile.sink.table = mapping.sink.display();
  profile.sink.positionColumns = mapping.positionColumns;
  profile.sink.markerColumn = mapping.markerColumn;
  profile.scheme = mapping.scheme;
  return profile;
}

}  // namespace tidemark::app
