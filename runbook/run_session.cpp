#include "runbook/run_session.h"

#include "engine/core/error.h"
#include "runbook/codec.h"

namespace tidemark::runbook {

RunSession::RunSession(Environment& environment, Profile profile, std::unique_ptr<Journal> journal,
                       RunObserver* observer, DriverOptions options)
    : m_environment(environment),
      m_profile(std::move(profile)),
      m_journal(std::move(journal)),
      m_observer(observer),
      m_options(std::move(options)),
      m_state(emptyRun()) {}

std::vector<Effect> RunSession::enact(RunEvent event) {
  event.time = now();
  event.user = m_options.who.user;
  event.planDigest = m_state.planDigest;
  Transition next = transition(m_state, event);
  const JournalEntry& entry = m_journal->append(event);
  {
    const std::lock_guard guard(m_mutex);
    m_state = std::move(next.state);
  }
  if (m_observer != nullptr) {
    m_observer->journalAppended(entry);
    m_observer->stateChanged(m_state);
  }
  return std::move(next.effects);
}

void RunSession::restore(RunState state) {
  const std::lock_guard guard(m_mutex);
  m_state = std::move(state);
}

RunState RunSession::copyOfState() const {
  const std::lock_guard guard(m_mutex);
  return m_state;
}

void RunSession::dropConnections() {
  m_mapping.reset();
  m_source.reset();
  m_reader.reset();
  m_sink.reset();
}

void RunSession::notifyGates(int step, const std::vector<Gate>& gates) {
  if (m_observer == nullptr) return;
  for (const Gate& gate : gates) m_observer->gateMeasured(step, gate);
}

void RunSession::unlockTable() {
  if (m_state.step(kSteps).evidence.contains("table_locked")) sink().unlockTable(mapping(), m_state.runId);
}

Banner RunSession::banner() const {
  const std::lock_guard guard(m_mutex);
  return {m_profile.environment,  m_profile.production(), m_sourceText,  m_sinkText,
          m_profile.source.table, m_profile.sink.table,   m_state.armed, m_options.dryRun};
}

void RunSession::freshStop() {
  const std::lock_guard guard(m_mutex);
  if (m_stop.stop_requested()) m_stop = std::stop_source();
}

void RunSession::requestStop() {
  {
    const std::lock_guard guard(m_mutex);
    m_stop.request_stop();
  }
  m_pause.resume();
}

RunError RunSession::asRunError(const Error& problem) const {
  return {problem.code(), problem.what(), problem.detail().hint, problem.detail().technical, now()};
}

Source& RunSession::source() {
  if (!m_source) {
    m_source = m_environment.openSource(m_profile);
    const std::string described = m_source->describeConnection();
    const std::lock_guard guard(m_mutex);
    m_sourceText = described;
  }
  return *m_source;
}

SinkReader& RunSession::reader() {
  if (!m_reader) {
    m_reader = m_environment.openSinkReader(m_profile);
    const std::string described = m_reader->describeConnection();
    const std::lock_guard guard(m_mutex);
    if (m_sinkText.empty()) m_sinkText = described;
  }
  return *m_reader;
}

Sink& RunSession::sink() {
  if (!m_sink) {
    m_sink = m_environment.openSink(m_profile);
    // Where both are open, the banner names the connection that writes.
    const std::string described = m_sink->describeConnection();
    const std::lock_guard guard(m_mutex);
    m_sinkText = described;
  }
  return *m_sink;
}

const TableMapping& RunSession::mapping() {
  if (!m_mapping) {
    const TableShape from = source().describe(TableName::parse(m_profile.source.table));
    const TableShape to = reader().describe(TableName::parse(m_profile.sink.table));
    m_mapping = buildMapping(m_profile, from, to);
  }
  return *m_mapping;
}

void RunSession::record(int step, const std::string& name, const std::string& json) {
  if (m_state.step(step).fact(name) == json) return;
  enact({.kind = EventKind::EvidenceRecorded, .step = step, .id = name, .json = json});
}

void RunSession::recordLineage(const Lineage& lineage) {
  if (m_state.lineage.empty()) enact({.kind = EventKind::LineageRead, .text = lineage.display()});
}

void RunSession::freezePlan(const std::string& json) {
  enact({.kind = EventKind::PlanFrozen, .text = sha256Hex(json), .json = json});
}

void RunSession::lockTable() {
  sink().lockTable(mapping(), {m_state.runId, m_options.who.user, m_options.who.host, m_options.who.pid, now()});
  record(kSteps, "table_locked", "true");
}

std::stop_token RunSession::stopToken() const {
  const std::lock_guard guard(m_mutex);
  return m_stop.get_token();
}

BoundaryOptions RunSession::boundaryOptions() const {
  return {m_profile.scheme, m_profile.limits.boundaryTimeout, m_profile.source.slot,
          TableName::parse(m_profile.source.table)};
}

BoundaryObserver RunSession::boundaryObserver() {
  return [this](const std::vector<Blocker>& blockers, std::chrono::milliseconds waited) {
    return m_observer == nullptr || m_observer->waitingFor(blockers, waited);
  };
}

void RunSession::report(const Progress& progress) {
  if (m_observer != nullptr) m_observer->progressed(progress);
}

}  // namespace tidemark::runbook
