#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/simulator/demo_seed.h"
#include "engine/simulator/demo_world.h"
#include "engine/simulator/session.h"

namespace tidemark::simulator {

/// The transactions that make the demo hard: one that begins before a segment's snapshot and commits when the read has
/// passed its row, and an older one that holds the first boundary back. (One that began before X could not straddle the
/// read: rule 4 waits for it.) Any thread.
class DemoStraddler {
 public:
  DemoStraddler(std::shared_ptr<SimulatedDatabase> database, const DemoKeys& keys,
                std::chrono::milliseconds olderTransactionAge);
  /// Commits what is open.
  ~DemoStraddler();
  DemoStraddler(const DemoStraddler&) = delete;
  DemoStraddler& operator=(const DemoStraddler&) = delete;

  /// Steps in at the database's boundaries and segments until this object goes.
  void install();

  void open();
  void commit();
  /// Commits both transactions at once.
  void commitAll();
  std::vector<Straddle> straddles() const;

 private:
  void holdBoundaryBack();
  void commitOlderLater(std::stop_token stop);
  void openForSegment(const KeyRange& range);
  void commitWhenPassed(std::int64_t id);

  std::shared_ptr<SimulatedDatabase> m_database;
  DemoKeys m_keys;
  std::chrono::milliseconds m_olderTransactionAge;
  bool m_installed = false;

  mutable std::mutex m_mutex;  ///< Guards everything below.
  std::condition_variable_any m_changed;
  std::unique_ptr<SimulatedSession> m_session;
  std::unique_ptr<SimulatedSession> m_older;
  bool m_boundaryWasHeldBack = false;
  std::vector<Straddle> m_straddles;
  std::jthread m_olderThread;  ///< Last: ends before the rest goes.
};

}  // namespace tidemark::simulator
