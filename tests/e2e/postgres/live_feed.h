#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/e2e/postgres/backfill_world.h"

namespace tidemark::test {

/// The path of live changes: reads the logical slot, hands the events to `tidemarkctl apply --from -`, and moves the
/// slot only after apply has said that they are in the sink. Whatever fails is read and applied again.
class LiveFeed {
 public:
  explicit LiveFeed(BackfillWorld& world);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  /// Waits until everything that is in the slot now has been applied, then stops.
  void drainAndStop();
  /// What apply said when it did not end with 0.
  std::vector<std::string> failures() const;
  std::uint64_t events() const { return m_events; }

 private:
  void run();
  /// True when there was something.
  bool pass(class LogicalStream& stream);

  std::string m_source;
  std::vector<std::string> m_command;
  std::atomic<bool> m_stop{false};
  std::atomic<bool> m_stopWhenEmpty{false};
  std::atomic<std::uint64_t> m_events{0};
  mutable std::mutex m_mutex;
  std::vector<std::string> m_failures;
  std::thread m_thread;
};

/// pgbench with four clients on the source's orders: updates, inserts, deletes, re-creates and changes of the key, on
/// random keys up to `keys`, but for those that leave 1 when divided by 100: a test may hold them. Stopped, and its
/// sessions gone, at the end of stop().
class Writers {
 public:
  Writers(BackfillWorld& world, std::uint64_t keys, int transactionsPerSecond);
  void stop();

 private:
  BackfillWorld& m_world;
  std::unique_ptr<ChildProcess> m_process;
};

}  // namespace tidemark::test
