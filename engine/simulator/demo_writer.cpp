#include "engine/simulator/demo_writer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "engine/core/error.h"
#include "engine/simulator/demo_seed.h"

namespace tidemark::simulator {

namespace {

constexpr std::uint64_t kLongTransactionEvery = 25;
constexpr std::chrono::milliseconds kLongTransaction{40};
constexpr std::size_t kDeletedRemembered = 50;

void pause(std::chrono::microseconds time, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

DemoWriter::DemoWriter(WriterPool& pool, int number)
    : m_pool(pool),
      m_session(pool.database->connect("shop", "web shop " + std::to_string(number))),
      m_random(pool.seed + static_cast<std::uint64_t>(number)) {}

void DemoWriter::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    try {
      writeTransaction(stop);
      m_session->commit();
      ++m_pool.transactions;
    } catch (const Error& error) {
      m_session->rollback();
      if (!error.detail().retryCanHelp) throw;
    }
    pause(m_pool.interval, stop);
  }
}

void DemoWriter::writeTransaction(std::stop_token stop) {
  // A re-create stands alone and keys are taken in ascending order, so that two writers never wait for each other.
  if (m_random() % 5 == 0 && recreate()) return;
  std::vector<std::int64_t> keys(1 + m_random() % 3);
  for (std::int64_t& key : keys) key = anyKey();
  std::sort(keys.begin(), keys.end());
  for (const std::int64_t key : keys) {
    if (m_random() % 10 == 0) {
      remove(key);
    } else {
      update(key);
    }
  }
  if (m_random() % kLongTransactionEvery == 0) pause(kLongTransaction, stop);
  if (m_random() % 5 == 0) insertNew();
}

std::int64_t DemoWriter::anyKey() {
  for (;;) {
    const auto key = static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(m_pool.lastKey.load())) + 1;
    if (!m_pool.reserved.contains(key)) return key;
  }
}

void DemoWriter::insertNew() {
  Order order = demoOrder(++m_pool.lastKey, m_pool.seed);
  order.updatedAt = now();
  m_session->insert(order);
}

void DemoWriter::update(std::int64_t id) {
  m_session->update(id, [&](Order& order) {
    order.status = "status " + std::to_string(m_random() % 1000);
    if (m_random() % 5 == 0) order.note = "changed " + std::to_string(m_random() % 1000);
    order.updatedAt = now();
  });
}

void DemoWriter::remove(std::int64_t id) {
  if (!m_session->remove(id)) return;
  m_deleted.push_back(id);
  if (m_deleted.size() > kDeletedRemembered) m_deleted.erase(m_deleted.begin());
}

bool DemoWriter::recreate() {
  if (m_deleted.empty()) return false;
  const std::int64_t id = m_deleted.front();
  m_deleted.erase(m_deleted.begin());
  Order order = demoOrder(id, m_pool.seed);
  order.status = "again";
  order.updatedAt = now();
  return m_session->insert(order);
}

}  // namespace tidemark::simulator
