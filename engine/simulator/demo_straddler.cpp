#include "engine/simulator/demo_straddler.h"

#include "engine/simulator/sql.h"

namespace tidemark::simulator {

namespace {

bool contains(const KeyRange& range, std::int64_t id) {
  if (range.from) {
    const std::int64_t from = sql::keyValue(range.from->key);
    if (range.from->inclusive ? id < from : id <= from) return false;
  }
  if (range.to) {
    const std::int64_t to = sql::keyValue(range.to->key);
    if (range.to->inclusive ? id > to : id >= to) return false;
  }
  return true;
}

}  // namespace

DemoStraddler::DemoStraddler(std::shared_ptr<SimulatedDatabase> database, const DemoKeys& keys,
                             std::chrono::milliseconds olderTransactionAge)
    : m_database(std::move(database)), m_keys(keys), m_olderTransactionAge(olderTransactionAge) {
  m_session = m_database->connect("shop", "slow checkout");
  m_older = m_database->connect("accounting", "month-end report");
}

DemoStraddler::~DemoStraddler() {
  if (m_installed) m_database->setHooks({});
  commitAll();
}

void DemoStraddler::install() {
  SimulatorHooks hooks;
  hooks.boundaryBegins = [this] { holdBoundaryBack(); };
  hooks.segmentOpens = [this](const KeyRange& range) { openForSegment(range); };
  hooks.segmentRead = [this](std::int64_t id) { commitWhenPassed(id); };
  hooks.segmentEnded = [this] { commit(); };
  m_database->setHooks(std::move(hooks));
  m_installed = true;
}

void DemoStraddler::open() {
  const std::scoped_lock lock(m_mutex);
  if (m_session->inTransaction()) return;
  Straddle straddle;
  straddle.id = m_keys.straddler;
  straddle.status = "straddled " + std::to_string(m_straddles.size() + 1);
  m_session->update(straddle.id, [&](Order& order) {
    order.status = straddle.status;
    order.updatedAt = canonicalTimestamp(microsecondsNow());
  });
  m_straddles.push_back(straddle);
}

void DemoStraddler::commit() {
  const std::scoped_lock lock(m_mutex);
  if (!m_session->inTransaction()) return;
  m_session->commit();
  m_straddles.back().committed = true;
}

void DemoStraddler::commitAll() {
  commit();
  const std::scoped_lock lock(m_mutex);
  if (m_older->inTransaction()) m_older->commit();
  m_changed.notify_all();
}

std::vector<Straddle> DemoStraddler::straddles() const {
  const std::scoped_lock lock(m_mutex);
  return m_straddles;
}

void DemoStraddler::holdBoundaryBack() {
  const std::scoped_lock lock(m_mutex);
  if (m_boundaryWasHeldBack || m_olderTransactionAge.count() == 0) return;
  m_boundaryWasHeldBack = true;
  m_older->update(m_keys.older, [](Order& order) {
    order.status = "reported";
    order.updatedAt = canonicalTimestamp(microsecondsNow());
  });
  m_olderThread = std::jthread([this](std::stop_token stop) { commitOlderLater(std::move(stop)); });
}

void DemoStraddler::commitOlderLater(std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, stop, m_olderTransactionAge, [this] { return !m_older->inTransaction(); });
  if (m_older->inTransaction()) m_older->commit();
}

void DemoStraddler::openForSegment(const KeyRange& range) {
  if (contains(range, m_keys.straddler)) open();
}

void DemoStraddler::commitWhenPassed(std::int64_t id) {
  if (id > m_keys.straddler) commit();
}

}  // namespace tidemark::simulator
