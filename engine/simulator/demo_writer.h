#pragma once

#include <atomic>
#include <memory>
#include <random>
#include <stop_token>
#include <unordered_set>
#include <vector>

#include "engine/simulator/session.h"

namespace tidemark::simulator {

/// What the demo's writers share.
struct WriterPool {
  std::shared_ptr<SimulatedDatabase> database;
  std::unordered_set<std::int64_t> reserved;  ///< Keys they leave alone.
  std::uint64_t seed = 0;
  std::chrono::microseconds interval{0};  ///< Between two transactions of one writer.
  std::atomic<std::int64_t> lastKey{0};   ///< Largest key handed out.
  std::atomic<std::uint64_t> transactions{0};
};

/// A live writer of the demo: short transactions of inserts, updates, deletes and re-creates, now and then one that
/// stays open for a moment. Belongs to its thread.
class DemoWriter {
 public:
  DemoWriter(WriterPool& pool, int number);
  /// Writes until `stop` is requested. Throws Error "simulator.storage".
  void run(std::stop_token stop);

 private:
  void writeTransaction(std::stop_token stop);
  void insertNew();
  void update(std::int64_t id);
  void remove(std::int64_t id);
  bool recreate();
  std::int64_t anyKey();
  std::string now() const { return canonicalTimestamp(microsecondsNow()); }

  WriterPool& m_pool;
  std::unique_ptr<SimulatedSession> m_session;
  std::mt19937_64 m_random;
  std::vector<std::int64_t> m_deleted;  ///< By this writer, and committed or about to be.
};

}  // namespace tidemark::simulator
