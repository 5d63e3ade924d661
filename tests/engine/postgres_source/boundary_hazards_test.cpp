#include <future>

#include <gtest/gtest.h>

#include "tests/engine/postgres_source/hazard_fixture.h"

// Each hazard of the boundary rule on a real server, twice: the shortcut that ends with a wrong row, and the rule that
// does not. Changes come out of a logical slot, and what decides is the guard's comparison of positions alone.

namespace tidemark::test {
namespace {

using postgres::Access;
using postgres::Connection;
using postgres::Isolation;

TEST_F(BoundaryHazard, AChangeAtExactlyTheLogPositionLosesAgainstItButWinsAgainstTheBoundary) {
  // Background records may slip in between; on a quiet server the very next change begins at the position.
  for (int attempt = 0; attempt < 20; ++attempt) {
    m_server.sql("UPDATE orders SET status = 'old' WHERE id = 1; CHECKPOINT; UPDATE orders SET status = 'old'");
    streamed();
    const std::int64_t position = insertPosition();
    const std::vector<StoredRow> read = readNow();
    m_server.sql("UPDATE orders SET status = 'new' WHERE id = 1");
    const std::vector<Change> changes = streamed();
    ASSERT_EQ(changes.size(), 1u);
    if (changes[0].lsn != position) continue;
    GuardedTable shortcut, ours;
    shortcut.applyReads(read, {{position, 0, 0}});
    ours.applyReads(read, boundaryPosition(PositionScheme::Lsn, position));
    shortcut.applyChanges(changes);
    ours.applyChanges(changes);
    EXPECT_EQ(shortcut.value(kOne), "old") << "the control must fail";
    EXPECT_EQ(ours.value(kOne), "new");
    return;
  }
  FAIL() << "no change began at the position in 20 attempts";
}

TEST_F(BoundaryHazard, AnOpenTransactionWhoseIdIsXmaxPassesTheShortcutButNotOurWait) {
  Connection writer(m_server.connection());
  writer.begin();
  writer.exec("UPDATE public.orders SET status = 'new' WHERE id = 1");
  const std::int64_t low = insertPosition();
  Connection observer(m_server.connection());
  const std::string xmax = *observer.scalar("SELECT pg_snapshot_xmax(pg_current_snapshot())::text");
  EXPECT_EQ(xmax, writer.scalar("SELECT pg_current_xact_id()::text"));
  EXPECT_EQ(observer.scalar("SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8", {xmax}), "t")
      << "the shortcut's wait ends at once although the transaction is open";
  GuardedTable shortcut, ours;
  shortcut.applyReads(readNow(), boundaryPosition(PositionScheme::Lsn, low));

  std::vector<Blocker> seen;
  const Boundary boundary = m_source->captureBoundary({}, {}, [&](const std::vector<Blocker>& blockers, auto) {
    seen = blockers;
    if (writer.inTransaction()) writer.commit();
    return true;
  });
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].pid, writer.backendPid());
  EXPECT_EQ(seen[0].user, "postgres");
  EXPECT_EQ(boundary.heldBackBy.size(), 1u);
  EXPECT_GT(boundary.settled, boundary.low);
  ours.applyReads(readUnder(boundary), boundary.position);
  m_source->confirmRead(boundary, {});

  const std::vector<Change> changes = streamed();
  ASSERT_EQ(changes.size(), 1u);
  shortcut.applyChanges(changes);
  ours.applyChanges(changes);
  EXPECT_EQ(shortcut.value(kOne), "old") << "the control must fail";
  EXPECT_EQ(ours.value(kOne), "new");
}

TEST_F(BoundaryHazard, ACommitThatIsStreamedBeforeReadersSeeItFoolsTheSlotsPositionAlone) {
  m_server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'; SELECT pg_reload_conf()");
  Connection writer(m_server.connection());
  waitUntil(writer, "SELECT current_setting('synchronous_standby_names') = 'nobody'");
  const std::string pid = std::to_string(writer.backendPid());
  std::future<void> commit =
      std::async(std::launch::async, [&] { writer.exec("UPDATE public.orders SET status = 'new' WHERE id = 1"); });
  Connection observer(m_server.connection());
  waitUntil(observer, "SELECT wait_event = 'SyncRep' FROM pg_stat_activity WHERE pid = " + pid);

  const std::vector<Change> changes = streamed();
  ASSERT_EQ(changes.size(), 1u) << "the change is streamed and confirmed";
  GuardedTable shortcut, ours;
  shortcut.applyChanges(changes);
  ours.applyChanges(changes);
  std::int64_t restart = 0;
  for (int attempt = 0; attempt < 50 && restart <= changes[0].lsn; ++attempt) {
    m_server.sql("CHECKPOINT");
    m_server.sql("SELECT count(*) FROM pg_logical_slot_get_changes('stream', NULL, NULL)");
    restart = parseLsn(*observer.scalar("SELECT restart_lsn FROM pg_replication_slots WHERE slot_name = 'stream'"));
  }
  ASSERT_GT(restart, changes[0].lsn) << "the slot has passed the change";
  shortcut.applyReads(readNow(), boundaryPosition(PositionScheme::Lsn, restart));

  std::string waitEvent;
  const Boundary boundary = m_source->captureBoundary({}, {}, [&](const std::vector<Blocker>& blockers, auto) {
    if (waitEvent.empty()) {
      waitEvent = blockers.at(0).waitEvent;
      m_server.sql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()");
    }
    return true;
  });
  commit.get();
  EXPECT_EQ(waitEvent, "SyncRep");
  EXPECT_GT(boundary.low, changes[0].lsn);
  ours.applyReads(readUnder(boundary), boundary.position);
  EXPECT_EQ(sourceValue(), "new");
  EXPECT_EQ(shortcut.value(kOne), "old") << "the control must fail";
  EXPECT_EQ(ours.value(kOne), "new");
}

TEST_F(BoundaryHazard, ATableRewrittenUnderAnOldSnapshotLooksEmptySoTheLockComesFirst) {
  const Boundary boundary = m_source->captureBoundary({}, {}, nullptr);
  Connection early(m_server.connection());
  early.begin(Isolation::RepeatableRead, Access::ReadOnly);
  early.scalar("SELECT 1");  // The snapshot is taken here, the table is not locked.
  Connection owner(m_server.connection());
  owner.begin();
  owner.exec("ALTER TABLE public.orders ALTER COLUMN status TYPE varchar(40) USING upper(status)");
  std::future<std::vector<StoredRow>> ours = std::async(std::launch::async, [&] { return readUnder(boundary); });
  Connection observer(m_server.connection());
  waitUntil(observer, "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessShareLock')");
  owner.commit();
  EXPECT_EQ(early.scalar("SELECT count(*) FROM public.orders"), "0") << "the control must fail";
  EXPECT_EQ(ours.get().size(), 2u);
}

TEST_F(BoundaryHazard, ADeferrableKeyBreaksTheOrderOfPositionsAndIsRefused) {
  m_server.sql(
      "CREATE TABLE loose (id bigint PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, status text);"
      "ALTER TABLE loose REPLICA IDENTITY FULL;"
      "INSERT INTO loose VALUES (1, 'old')");
  const TableMapping loose = mappingOf(*m_source, "public.loose");
  m_stream->readAll();
  Connection inserter(m_server.connection());
  inserter.begin();
  inserter.exec("INSERT INTO public.loose VALUES (1, 'new')");
  m_server.sql("DELETE FROM loose WHERE id = 1 AND status = 'old'");
  inserter.commit();
  const std::vector<Change> changes = changesOf(m_stream->readAll(), loose);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_TRUE(changes[0].deleted);
  EXPECT_LT(changes[1].lsn, changes[0].lsn) << "the insert was committed later, at a lower position";
  GuardedTable table;
  table.applyChanges(changes);
  EXPECT_EQ(m_server.sql("SELECT status FROM loose"), "new\n");
  EXPECT_EQ(table.value(kOne), "-") << "the anomaly: the row is taken for deleted";

  bool refused = false;
  for (const Finding& finding : m_source->inspect(loose, {}))
    if (finding.id == "source.key_deferrable") refused = finding.severity == Severity::Failure && !finding.waivable;
  EXPECT_TRUE(refused);
  for (const Finding& finding : m_source->inspect(m_mapping, {}))
    if (finding.id == "source.key_deferrable") {
      EXPECT_EQ(finding.severity, Severity::Pass);
    }
}

TEST_F(BoundaryHazard, APreparedTransactionHoldsTheBoundaryAndIsNamed) {
  m_server.sql("BEGIN; UPDATE orders SET status = 'new' WHERE id = 1; PREPARE TRANSACTION 'stuck one'");
  BoundaryOptions options;
  options.timeout = std::chrono::milliseconds(1);
  const Error error = errorOf([&] { m_source->captureBoundary(options, {}, nullptr); });
  EXPECT_EQ(error.code(), "boundary.timeout");
  EXPECT_NE(std::string(error.what()).find("stuck one"), std::string::npos) << error.what();
  bool named = false;
  for (const Finding& finding : m_source->inspectLog())
    if (finding.id == "log.prepared") named = finding.measured.find("stuck one") != std::string::npos;
  EXPECT_TRUE(named);
  m_server.sql("COMMIT PREPARED 'stuck one'");
  const Boundary boundary = m_source->captureBoundary({}, {}, nullptr);
  EXPECT_EQ(readUnder(boundary).at(0).payload.at(0).text, "new");
}

TEST_F(BoundaryHazard, TheTimeOutNamesWhoHoldsItBackAndGivingUpIsPossible) {
  Connection writer(m_server.connection() + " application_name=ignored");
  writer.execScript("SET application_name TO 'nightly job'; BEGIN; UPDATE public.orders SET status = 'x' WHERE id = 1");
  BoundaryOptions options;
  options.timeout = std::chrono::milliseconds(1);
  const Error timeout = errorOf([&] { m_source->captureBoundary(options, {}, nullptr); });
  EXPECT_EQ(timeout.code(), "boundary.timeout");
  EXPECT_TRUE(timeout.detail().retryCanHelp);
  EXPECT_NE(std::string(timeout.what()).find(std::to_string(writer.backendPid())), std::string::npos);
  EXPECT_NE(std::string(timeout.what()).find("nightly job"), std::string::npos) << timeout.what();
  EXPECT_EQ(errorOf([&] { m_source->captureBoundary({}, {}, [](const auto&, auto) { return false; }); }).code(),
            "boundary.given_up");
  std::stop_source stop;
  EXPECT_THROW(m_source->captureBoundary({}, stop.get_token(),
                                         [&](const auto&, auto) {
                                           stop.request_stop();
                                           return true;
                                         }),
               Cancelled);
}

TEST_F(BoundaryHazard, ATransactionThatOnlyReadsHoldsNothingBack) {
  Connection reader(m_server.connection());
  reader.begin(Isolation::RepeatableRead, Access::ReadOnly);
  reader.scalar("SELECT count(*) FROM public.orders");
  BoundaryOptions options;
  options.timeout = std::chrono::seconds(60);
  const Boundary boundary = m_source->captureBoundary(options, {}, nullptr);
  EXPECT_TRUE(boundary.heldBackBy.empty());
  EXPECT_EQ(boundary.position, boundaryPosition(PositionScheme::Lsn, boundary.low));
  EXPECT_EQ(boundary.lineage, m_source->lineage());
  EXPECT_EQ(boundary.lineage.slot, "stream");
  EXPECT_FALSE(boundary.restartLsn.empty());
}

TEST_F(BoundaryHazard, ABoundaryIsTakenRightAfterALogSwitchOnAQuietServer) {
  // The insert position then lies behind a page header, where a flush alone never gets to.
  m_server.sql("CHECKPOINT; SELECT pg_switch_wal()");
  BoundaryOptions options;
  options.timeout = std::chrono::seconds(60);
  const Boundary boundary = m_source->captureBoundary(options, {}, nullptr);
  m_server.sql("SELECT pg_switch_wal()");
  m_source->confirmRead(boundary, {});
  EXPECT_EQ(readUnder(boundary).size(), 2u);
}

TEST_F(BoundaryHazard, AReadBegunBeforeTheBoundaryIsReachedIsRefused) {
  Boundary boundary = m_source->captureBoundary({}, {}, nullptr);
  Connection writer(m_server.connection());
  writer.begin();
  boundary.transactionId = *writer.scalar("SELECT pg_current_xact_id()::text");
  EXPECT_EQ(errorOf([&] { m_source->openSegment(m_mapping, {}, boundary); }).code(), "boundary.not_reached");
}

TEST_F(BoundaryHazard, AStandbyIsRefusedWithTheReason) {
  const PostgresServer standby(PostgresServer::StandbyOf{m_server});
  const std::unique_ptr<Source> source = openPostgresSource(standby.connection(), "");
  const Error error = errorOf([&] { source->captureBoundary({}, {}, nullptr); });
  EXPECT_EQ(error.code(), "boundary.standby");
  EXPECT_FALSE(error.detail().hint.empty());
  const std::vector<Finding> findings = source->inspect(m_mapping, {});
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].id, "source.primary_server");
  EXPECT_EQ(findings[0].severity, Severity::Failure);
  EXPECT_EQ(source->lineage().system, m_source->lineage().system);
}

}  // namespace
}  // namespace tidemark::test
