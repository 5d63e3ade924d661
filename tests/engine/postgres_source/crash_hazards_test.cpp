#include <signal.h>

#include <gtest/gtest.h>

#include "engine/postgres/postgres_boundary.h"
#include "tests/engine/postgres_source/hazard_fixture.h"

namespace tidemark::test {
namespace {

using postgres::Connection;

class CrashHazard : public BoundaryHazard {
 protected:
  CrashHazard() : BoundaryHazard({{"wal_writer_delay", "10s"}, {"restart_after_crash", "on"}}) {}

  /// Reads a value that was committed without waiting for the disk, then lets `crash` happen. True when it is lost.
  bool readWhatACrashUndoes(const std::function<void()>& crash) {
    m_server.sql("UPDATE orders SET status = 'old' WHERE id = 1; CHECKPOINT");
    m_boundary = m_source->captureBoundary({}, {}, nullptr);
    m_server.sql("SET synchronous_commit = off; UPDATE orders SET status = 'phantom' WHERE id = 1");
    m_table = {};
    m_table.applyReads(readUnder(m_boundary), m_boundary.position);
    crash();
    Connection after(m_server.connection());
    return after.scalar("SELECT status FROM public.orders WHERE id = 1") == "old";
  }

  void expectThatOnlyConfirmingHelps(const std::function<void()>& crash) {
    for (int attempt = 0; attempt < 10; ++attempt) {
      // The log may have reached the disk in time after all; then nothing was undone.
      if (!readWhatACrashUndoes(crash)) continue;
      EXPECT_EQ(m_table.value(kOne), "phantom") << "the control must fail: it holds what never was";
      EXPECT_EQ(errorOf([&] { m_source->confirmRead(m_boundary, {}); }).code(), "boundary.server_restarted");
      EXPECT_EQ(errorOf([&] { readUnder(m_boundary); }).code(), "boundary.server_restarted");
      m_server.sql("ALTER SYSTEM SET wal_writer_delay = '200ms'; SELECT pg_reload_conf()");
      const Boundary again = m_source->captureBoundary({}, {}, nullptr);
      EXPECT_GT(again.position, m_boundary.position);
      m_table.applyReads(readUnder(again), again.position);
      m_source->confirmRead(again, {});
      EXPECT_EQ(m_table.value(kOne), "old");
      return;
    }
    FAIL() << "the commit survived every crash";
  }

  Boundary m_boundary;
  GuardedTable m_table;
};

TEST_F(CrashHazard, ACrashAfterTheReadVoidsIt) {
  expectThatOnlyConfirmingHelps([&] {
    m_server.killHard();
    m_server.start();
  });
}

TEST_F(CrashHazard, ACrashThatThePostmasterOutlivesVoidsItToo) {
  expectThatOnlyConfirmingHelps([&] {
    int victim = 0;
    {
      Connection connection(m_server.connection());
      victim = connection.backendPid();
      kill(victim, SIGKILL);
      // The session ends when the server has noticed.
      EXPECT_EQ(errorOf([&] {
                  for (;;) connection.exec("SELECT 1");
                }).code(),
                "postgres.lost");
    }
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (;;) {
      try {
        Connection ready(m_server.connection());
        const Boundary& before = m_boundary;
        if (postgres::serverLife(ready).life != before.serverStart) return;
      } catch (const Error&) {
      }
      if (std::chrono::steady_clock::now() > limit) throw std::runtime_error("no recovery: " + m_server.log());
    }
  });
}

}  // namespace
}  // namespace tidemark::test
