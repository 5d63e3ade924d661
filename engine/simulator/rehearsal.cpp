#include "engine/simulator/rehearsal.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "engine/core/temporary_folder.h"
#include "engine/load/load.h"
#include "engine/simulator/demo_mapping.h"
#include "engine/simulator/demo_seed.h"
#include "engine/simulator/feeder.h"
#include "engine/simulator/session.h"
#include "engine/simulator/simulated_source.h"
#include "engine/sqlite/sqlite_sink.h"

namespace tidemark {

namespace {

constexpr std::int64_t kRows = 60;
constexpr std::uint64_t kSeed = 1;

/// One source with one sink. `aboveLow` is what the control adds to `low` before the stamp is made of it.
class Stage {
 public:
  Stage(std::filesystem::path folder, PositionScheme scheme, std::int64_t aboveLow, std::stop_token stop);

  RehearsalCase straddler(std::int64_t id, bool deliverFirst);
  RehearsalCase atBoundary(std::int64_t id);
  RehearsalCase older(std::int64_t id);

 private:
  /// Boundary and load with the hooks in place, then everything that is left in the stream.
  void run(RehearsalCase& rehearsed, SimulatorHooks hooks, const BoundaryObserver& observer);
  void load(RehearsalCase& rehearsed, const BoundaryObserver& observer);
  void change(RehearsalCase& rehearsed);
  void commit() { m_session->commit(); }
  void deliver() { m_feeder->drain(); }
  void deliverFromAnotherThread();
  std::string statusInSink(std::int64_t id);

  std::filesystem::path m_folder;
  std::int64_t m_aboveLow;
  std::stop_token m_stop;
  int m_loads = 0;
  TableMapping m_mapping;
  std::shared_ptr<SimulatedDatabase> m_database;
  std::unique_ptr<SimulatedSession> m_session;
  std::unique_ptr<Source> m_source;
  std::unique_ptr<Sink> m_sink;
  std::unique_ptr<Feeder> m_feeder;
};

Stage::Stage(std::filesystem::path folder, PositionScheme scheme, std::int64_t aboveLow, std::stop_token stop)
    : m_folder(std::move(folder)), m_aboveLow(aboveLow), m_stop(std::move(stop)), m_mapping(demoMapping(scheme)) {
  m_database = SimulatedDatabase::open(m_folder / "source");
  m_session = m_database->connect("rehearsal", "live writer");
  m_source = openSimulatedSource(m_database);
  createDemoSink(m_folder / "sink.db", scheme);
  m_sink = openSqliteSink(m_folder / "sink.db");
  m_sink->ensureSchema();
  for (std::int64_t id = 1; id <= kRows; ++id) m_session->insert(simulator::demoOrder(id, kSeed));
  commit();
  m_feeder = std::make_unique<Feeder>(SimulatedConnector(m_database), *m_sink, m_mapping);
  deliver();
}

void Stage::change(RehearsalCase& rehearsed) {
  m_session->update(rehearsed.id, [&](Order& order) { order.status = rehearsed.expected; });
  rehearsed.change = m_session->lastPosition();
}

void Stage::deliverFromAnotherThread() {
  // The load's reading thread calls this, and a sink belongs to the thread that made it.
  const auto sink = openSqliteSink(m_folder / "sink.db");
  Feeder(SimulatedConnector(m_database), *sink, m_mapping).drain();
}

void Stage::load(RehearsalCase& rehearsed, const BoundaryObserver& observer) {
  LoadRequest request;
  request.mapping = m_mapping;
  BoundaryOptions options;
  options.scheme = m_mapping.scheme;
  request.boundary = m_source->captureBoundary(options, m_stop, observer);
  request.boundary.position = boundaryPosition(m_mapping.scheme, request.boundary.low + m_aboveLow);
  request.keyFile = m_folder / ("keys-" + std::to_string(++m_loads));
  rehearsed.low = request.boundary.low;
  rehearsed.stamp = request.boundary.position;
  PauseControl control;
  NoProgress progress;
  loadSegment(
      *m_source, *m_sink, request, control, [](const Segment&) {}, m_stop, progress);
}

void Stage::run(RehearsalCase& rehearsed, SimulatorHooks hooks, const BoundaryObserver& observer) {
  m_database->setHooks(std::move(hooks));
  try {
    load(rehearsed, observer);
  } catch (...) {
    m_database->setHooks({});
    throw;
  }
  m_database->setHooks({});
  if (m_session->inTransaction()) commit();
  m_feeder->connector().rewind();
  deliver();
  rehearsed.found = statusInSink(rehearsed.id);
}

RehearsalCase Stage::straddler(std::int64_t id, bool deliverFirst) {
  RehearsalCase rehearsed;
  rehearsed.name = deliverFirst ? "straddler_first" : "straddler";
  rehearsed.title = deliverFirst
                        ? "A transaction begins before the read and commits after it; the stream delivers it first"
                        : "A transaction begins before the read and commits after it; the load is applied first";
  rehearsed.id = id;
  rehearsed.expected = rehearsed.name;
  SimulatorHooks hooks;
  hooks.segmentOpens = [&](const KeyRange&) { change(rehearsed); };
  hooks.segmentRead = [&](std::int64_t read) {
    if (read <= id || !m_session->inTransaction()) return;
    if (!deliverFirst) return;  // committed after the load
    commit();
    deliverFromAnotherThread();
  };
  run(rehearsed, std::move(hooks), {});
  return rehearsed;
}

RehearsalCase Stage::atBoundary(std::int64_t id) {
  RehearsalCase rehearsed;
  rehearsed.name = "at_boundary";
  rehearsed.title = "The first change after the boundary gets exactly its log position, and the read misses it";
  rehearsed.id = id;
  rehearsed.expected = "changed at the boundary";
  SimulatorHooks hooks;
  hooks.segmentEnded = [&] {
    change(rehearsed);
    commit();
  };
  run(rehearsed, std::move(hooks), {});
  return rehearsed;
}

RehearsalCase Stage::older(std::int64_t id) {
  RehearsalCase rehearsed;
  rehearsed.name = "older";
  rehearsed.title = "A transaction with a change below the boundary holds it back until it has committed";
  rehearsed.id = id;
  rehearsed.expected = "older";
  change(rehearsed);
  run(rehearsed, {}, [&](const std::vector<Blocker>&, std::chrono::milliseconds) {
    commit();
    return true;
  });
  return rehearsed;
}

std::string Stage::statusInSink(std::int64_t id) {
  const std::vector<Key> keys{{std::to_string(id)}};
  const std::vector<StoredRow> rows = m_sink->readKeys(m_mapping, keys);
  if (rows.empty()) return "(no row)";
  if (rows.front().deleted) return "(deleted)";
  const auto status = std::find_if(m_mapping.payload.begin(), m_mapping.payload.end(),
                                   [](const ColumnPair& column) { return column.source == "status"; });
  return rows.front().payload.at(static_cast<std::size_t>(status - m_mapping.payload.begin())).text;
}

}  // namespace

bool RehearsalResult::passed() const {
  const bool allWin =
      std::all_of(cases.begin(), cases.end(), [](const RehearsalCase& rehearsed) { return rehearsed.newerWins(); });
  return !cases.empty() && allWin && !control.newerWins();
}

RehearsalResult rehearse(PositionScheme scheme, std::stop_token stop) {
  const TemporaryFolder folder("tidemark-rehearsal");
  RehearsalResult result;
  {
    Stage stage(folder.path() / "law", scheme, 0, stop);
    result.cases.push_back(stage.straddler(10, false));
    result.cases.push_back(stage.straddler(20, true));
    result.cases.push_back(stage.atBoundary(30));
    result.cases.push_back(stage.older(40));
  }
  Stage control(folder.path() / "control", scheme, 1, stop);
  result.control = control.atBoundary(30);
  result.control.name = "control";
  result.control.title = "The same change, with the read stamped at the boundary's own position: it must be lost";
  return result;
}

std::vector<Finding> rehearsalFindings(PositionScheme scheme, const RehearsalResult& result) {
  std::vector<Finding> findings;
  const auto add = [&](const RehearsalCase& rehearsed, bool passed, const std::string& hint) {
    Finding finding;
    finding.id = "rehearsal." + rehearsed.name;
    finding.title = rehearsed.title;
    finding.severity = passed ? Severity::Pass : Severity::Failure;
    finding.measured = "change at " + formatLsn(rehearsed.change) + ", read stamped " +
                       displayPosition(scheme, rehearsed.stamp) + ", sink holds \"" + rehearsed.found + "\"";
    finding.limit = "\"" + rehearsed.expected + "\"";
    finding.source = "simulator";
    if (!passed) finding.hint = hint;
    findings.push_back(std::move(finding));
  };
  for (const RehearsalCase& rehearsed : result.cases) {
    add(rehearsed, rehearsed.newerWins(), "A newer change was lost. Do not run: report this build.");
  }
  add(result.control, !result.control.newerWins(),
      "The unsafe stamp lost nothing, so the rehearsal proves nothing. Do not run: report this build.");
  findings.back().limit = "anything but \"" + result.control.expected + "\"";
  return findings;
}

}  // namespace tidemark
