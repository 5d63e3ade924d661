#include "engine/simulator/simulated_source.h"

#include <thread>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/simulator/demo_mapping.h"
#include "tests/engine/simulator/orders.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_code.h"

namespace tidemark::test {
namespace {

using namespace std::chrono_literals;

class SimulatedSourceTest : public testing::Test {
 protected:
  SimulatedSourceTest() { insertOrders(*m_database, 6); }

  Boundary capture(const BoundaryObserver& observer = {}, BoundaryOptions options = {}) {
    return m_source->captureBoundary(options, {}, observer);
  }

  TemporaryFolder m_folder;
  std::shared_ptr<SimulatedDatabase> m_database = SimulatedDatabase::open(m_folder.path());
  std::unique_ptr<Source> m_source = openSimulatedSource(m_database);
  TableMapping m_mapping = demoMapping();
};

TEST_F(SimulatedSourceTest, stampsStrictlyBelowTheNextChange) {
  const Boundary boundary = capture();
  auto session = m_database->connect("app", "orders");
  setStatus(*session, 1, "paid");
  EXPECT_EQ(session->lastPosition(), boundary.low) << "the change at the boundary itself";
  EXPECT_LT(boundary.position, changePosition(PositionScheme::Lsn, std::nullopt, session->lastPosition()));
  EXPECT_TRUE(boundary.heldBackBy.empty());
  EXPECT_EQ(boundary.lineage, m_source->lineage());
}

TEST_F(SimulatedSourceTest, stampsThePairUnderCommitLsn) {
  BoundaryOptions options;
  options.scheme = PositionScheme::CommitLsn;
  const Boundary boundary = capture({}, options);
  EXPECT_EQ(boundary.position, (Position{{boundary.low, boundary.low - 1, 0}}));
}

TEST_F(SimulatedSourceTest, waitsForATransactionWithAChangeBelowTheBoundaryAndNamesIt) {
  auto old = m_database->connect("shop", "nightly job");
  setStatus(*old, 2, "paid");
  const std::int64_t change = old->lastPosition();
  std::vector<Blocker> seen;
  const Boundary boundary = capture([&](const std::vector<Blocker>& blockers, std::chrono::milliseconds) {
    seen = blockers;
    old->commit();
    return true;
  });
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].pid, old->pid());
  EXPECT_EQ(seen[0].user, "shop");
  EXPECT_EQ(seen[0].application, "nightly job");
  ASSERT_EQ(boundary.heldBackBy.size(), 1U);
  EXPECT_LT(change, boundary.low);
  EXPECT_EQ(statuses(*m_source->openSegment(m_mapping, {}, boundary)), "1:new 2:paid 3:new 4:new 5:new 6:new");
}

TEST_F(SimulatedSourceTest, doesNotWaitForATransactionThatBeganAfterX) {
  std::unique_ptr<SimulatedSession> young;
  SimulatorHooks hooks;
  hooks.transactionIdTaken = [&] {
    young = m_database->connect("shop", "young");
    setStatus(*young, 2, "paid");
  };
  m_database->setHooks(hooks);
  const Boundary boundary = capture();
  EXPECT_TRUE(boundary.heldBackBy.empty());
  EXPECT_TRUE(young->inTransaction());
  EXPECT_GT(young->lastPosition(), boundary.position.element[0]);
}

TEST_F(SimulatedSourceTest, waitsForACommitThatIsStreamedAndNotVisibleYet) {
  SimulatorHooks hooks;
  hooks.commitLogged = [&](std::int64_t) {
    // The transaction is in the log; a boundary that is captured now must not be given before readers see it.
    EXPECT_EQ(codeOf([&] {
                BoundaryOptions options;
                options.timeout = 1ms;
                capture({}, options);
              }),
              "boundary.timeout");
  };
  m_database->setHooks(hooks);
  auto session = m_database->connect("shop", "slow commit");
  setStatus(*session, 2, "paid");
  session->commit();
  m_database->setHooks({});
  EXPECT_EQ(statuses(*m_source->openSegment(m_mapping, {}, capture())), "1:new 2:paid 3:new 4:new 5:new 6:new");
}

TEST_F(SimulatedSourceTest, xmaxOfTheSnapshotWouldNotHaveWaited) {
  // The unsafe rule, kept as a control: an open transaction may own the very id that is xmax, so that the wait for
  // xmin >= xmax passes at once although the transaction's change lies below the position.
  auto open = m_database->connect("shop", "open");
  const std::int64_t xmax = m_database->takeTransactionId() + 1;  // next id: nobody's yet
  setStatus(*open, 2, "paid");                                    // owns it now, with a change below what follows
  ASSERT_EQ(open->transactionId(), xmax);
  const std::int64_t position = m_database->insertPosition();
  EXPECT_GE(m_database->snapshotXmin(), xmax) << "the unsafe wait is over";
  EXPECT_LT(open->lastPosition(), position);
  EXPECT_EQ(m_database->find(2)->status, "new") << "and the read misses the change";
  EXPECT_LE(m_database->snapshotXmin(), m_database->takeTransactionId()) << "the law's wait is not";
}

TEST_F(SimulatedSourceTest, givesUpWhenToldTo) {
  auto old = m_database->connect("shop", "old");
  setStatus(*old, 2, "paid");
  EXPECT_EQ(codeOf([&] { capture([](const auto&, auto) { return false; }); }), "boundary.given_up");
}

TEST_F(SimulatedSourceTest, stopsWaitingOnRequest) {
  auto old = m_database->connect("shop", "old");
  setStatus(*old, 2, "paid");
  std::stop_source stop;
  EXPECT_EQ(codeOf([&] {
              m_source->captureBoundary({}, stop.get_token(), [&](const auto&, auto) {
                stop.request_stop();
                return true;
              });
            }),
            "cancelled");
}

TEST_F(SimulatedSourceTest, readsASegmentInOneSnapshotWithKeysOutsideTheFilter) {
  auto session = m_database->connect("shop", "orders");
  setStatus(*session, 3, "paid");
  session->commit();
  Scope scope;
  scope.range = {KeyBound{{"2"}, true}, KeyBound{{"6"}, false}};
  scope.filter = "status = 'new' -- only these";
  auto stream = m_source->openSegment(m_mapping, scope, capture());
  StoredRow first;
  ASSERT_TRUE(stream->next(first));
  EXPECT_EQ(first.key, Key{"2"});
  ASSERT_EQ(first.payload.size(), 5U);
  EXPECT_EQ(first.payload[2], Cell::of("10.50"));
  EXPECT_TRUE(first.payload[3].isNull());
  session->remove(4);
  setStatus(*session, 5, "late");
  session->commit();
  EXPECT_EQ(statuses(*stream), "3:outside 4:new 5:new");
  EXPECT_EQ(m_source->countKeys(m_mapping, scope.range), 3U);
  EXPECT_EQ(stream->countInSnapshot(scope.range), 4U);
  EXPECT_EQ(statuses(*m_source->rows(m_mapping, scope)), "2:new");
}

TEST_F(SimulatedSourceTest, streamsOnAnotherThreadThanTheOneThatMadeTheSource) {
  std::string text;
  std::jthread([&] { text = statuses(*m_source->openSegment(m_mapping, {}, capture())); }).join();
  EXPECT_EQ(text, "1:new 2:new 3:new 4:new 5:new 6:new");
}

TEST_F(SimulatedSourceTest, readsSingleKeysInKeyOrder) {
  const std::vector<Key> keys{{"6"}, {"99"}, {"2"}, {"2"}};
  const auto rows = m_source->readKeys(m_mapping, keys, capture());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].key, Key{"2"});
  EXPECT_EQ(rows[1].key, Key{"6"});
  EXPECT_EQ(codeOf([&] { m_source->readKeys(m_mapping, std::vector<Key>{{"2x"}}, capture()); }), "source.key_value");
}

TEST_F(SimulatedSourceTest, splitsARangeWithoutGaps) {
  const auto ranges = m_source->splitRange(m_mapping, {KeyBound{{"2"}, true}, std::nullopt}, 2);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0], (KeyRange{KeyBound{{"2"}, true}, KeyBound{{"3"}, true}}));
  EXPECT_EQ(ranges[1], (KeyRange{KeyBound{{"3"}, false}, KeyBound{{"5"}, true}}));
  EXPECT_EQ(ranges[2], (KeyRange{KeyBound{{"5"}, false}, std::nullopt}));
}

TEST_F(SimulatedSourceTest, tellsWhetherAnythingChangedSinceTheBoundary) {
  const Boundary boundary = capture();
  EXPECT_EQ(m_source->unchangedSince(m_mapping, boundary), true);
  auto session = m_database->connect("shop", "orders");
  setStatus(*session, 1, "paid");
  EXPECT_EQ(m_source->unchangedSince(m_mapping, boundary), false) << "an open change may still be committed";
  session->rollback();
  EXPECT_EQ(m_source->unchangedSince(m_mapping, boundary), true);
  setStatus(*session, 1, "paid");
  session->commit();
  EXPECT_EQ(m_source->unchangedSince(m_mapping, boundary), false);
}

TEST_F(SimulatedSourceTest, refusesWhatIsNoCondition) {
  m_source->checkFilter(m_mapping, "status = 'new' AND cast(total AS REAL) > 5");
  EXPECT_EQ(codeOf([&] { m_source->checkFilter(m_mapping, "no_such_column = 1"); }), "filter.does_not_parse");
  EXPECT_EQ(codeOf([&] { m_source->checkFilter(m_mapping, "status = 'new'; DELETE FROM orders"); }),
            "filter.does_not_parse");
}

TEST_F(SimulatedSourceTest, refusesAnotherTableAndKeepsAReadOverARestart) {
  EXPECT_EQ(codeOf([&] { m_source->describe({"", "customers"}); }), "source.no_table");
  const Boundary boundary = capture();
  m_source.reset();
  m_database.reset();
  m_database = SimulatedDatabase::open(m_folder.path());
  m_source = openSimulatedSource(m_database);
  m_source->confirmRead(boundary, {});
  auto session = m_database->connect("shop", "orders");
  setStatus(*session, 1, "after");
  EXPECT_GT(session->lastPosition(), boundary.low) << "a restart must not hand out positions below the boundary";
}

TEST_F(SimulatedSourceTest, showsTheStatementWithItsValues) {
  Scope scope;
  scope.range.from = KeyBound{{"2"}, true};
  scope.filter = "customer <> 'who?'";
  const std::string statement = m_source->loadStatement(m_mapping, scope);
  EXPECT_NE(statement.find("\"id\" >= 2"), std::string::npos) << statement;
  EXPECT_NE(statement.find("'who?'"), std::string::npos) << statement;
}

}  // namespace
}  // namespace tidemark::test
