#pragma once

#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "engine/postgres/connection.h"
#include "tests/e2e/postgres/backfill_world.h"

namespace tidemark::test {

/// A session beside the product with an open transaction: it holds what a statement took until commit() or release().
class OtherSession {
 public:
  OtherSession(const std::string& connection, const std::string& statement) : m_connection(connection) {
    m_connection.begin();
    m_connection.exec(statement);
  }
  void commit() { m_connection.commit(); }
  void release() { m_connection.rollback(); }
  std::string pid() const { return std::to_string(m_connection.backendPid()); }

 private:
  postgres::Connection m_connection;
};

/// Holds one row of the sink's orders, so that whatever writes it waits in the middle of its work.
inline OtherSession holdSinkRow(const BackfillWorld& world, std::uint64_t id) {
  return {world.sinkConnection(), "SELECT FROM public.orders WHERE id = " + std::to_string(id) + " FOR UPDATE"};
}

/// Until a session of the product waits for a row or table in the sink; false when the command ended instead.
inline bool waitsForALock(const BackfillWorld& world, ChildProcess& command) {
  bool waits = false;
  eventually("the sink keeps the product waiting", [&] {
    waits = world.sink(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = 'warehouse' AND application_name = "
                "'tidemark' AND wait_event_type = 'Lock'") != "0\n";
    return waits || !command.running();
  });
  return waits;
}

/// True when a commit beside the product is kept waiting for a standby; that commit is let go again.
inline bool commitsAreHeld(const BackfillWorld& world) {
  const std::string waiting = " FROM pg_stat_activity WHERE application_name = 'probe' AND wait_event = 'SyncRep'";
  std::atomic<bool> ended = false;
  std::jthread commit([&] {
    world.sinkServer().sql("SET application_name TO probe; CREATE SCHEMA probe; DROP SCHEMA probe");
    ended = true;
  });
  bool held = false;
  while (!ended) {
    if (world.sink("SELECT count(pg_cancel_backend(pid))" + waiting) != "0\n") held = true;
  }
  return held;
}

/// From here on no commit of the sink is answered: it waits for a standby that nobody is. The server takes the setting
/// in when its signals have gone round, so a commit of our own has to show that it has.
inline void holdCommitAnswers(const BackfillWorld& world) {
  world.sinkServer().sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  world.sinkServer().sql("SELECT pg_reload_conf()");
  EXPECT_TRUE(eventually("commits wait for the standby", [&] { return commitsAreHeld(world); }));
}
inline void answerCommits(const BackfillWorld& world) {
  world.sinkServer().sql("SET synchronous_commit = local; ALTER SYSTEM RESET synchronous_standby_names");
  world.sinkServer().sql("SELECT pg_reload_conf()");
}

/// The product's session whose commit waits for its answer, as a process number; empty when the command ended.
inline std::string waitingCommit(const BackfillWorld& world, ChildProcess& command) {
  std::string pid;
  eventually("the product waits for the answer to a commit", [&] {
    pid = world.sink("SELECT pid FROM pg_stat_activity WHERE application_name = 'tidemark' AND wait_event = 'SyncRep'");
    return !pid.empty() || !command.running();
  });
  return pid.substr(0, pid.find('\n'));
}

}  // namespace tidemark::test
