#include "engine/simulator/database.h"

#include <csignal>
#include <future>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "tests/engine/simulator/orders.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {
namespace {

using namespace std::chrono_literals;

class SimulatedDatabaseTest : public testing::Test {
 protected:
  TemporaryFolder m_folder;
  std::shared_ptr<SimulatedDatabase> m_database = SimulatedDatabase::open(m_folder.path());
};

TEST_F(SimulatedDatabaseTest, showsNothingOfATransactionBeforeItsCommit) {
  auto session = m_database->connect("app", "orders");
  EXPECT_TRUE(session->insert(order(1)));
  EXPECT_TRUE(session->find(1).has_value());
  EXPECT_FALSE(m_database->find(1).has_value());
  session->commit();
  EXPECT_EQ(m_database->find(1), order(1));
}

TEST_F(SimulatedDatabaseTest, rollsBackWhatASessionLeavesOpen) {
  {
    auto session = m_database->connect("app", "orders");
    session->insert(order(1));
  }
  EXPECT_FALSE(m_database->find(1).has_value());
  auto other = m_database->connect("app", "orders");
  EXPECT_TRUE(other->insert(order(1))) << "the lock must have gone with the session";
}

TEST_F(SimulatedDatabaseTest, tellsWhetherTheRowWasThere) {
  insertOrders(*m_database, 1);
  auto session = m_database->connect("app", "orders");
  EXPECT_FALSE(session->insert(order(1)));
  EXPECT_FALSE(session->remove(2));
  EXPECT_TRUE(session->remove(1));
  EXPECT_FALSE(session->update(1, [](Order&) {}));
  EXPECT_TRUE(session->insert(order(1, "again")));
  session->commit();
  EXPECT_EQ(m_database->find(1)->status, "again");
}

TEST_F(SimulatedDatabaseTest, givesTheNextChangeExactlyTheInsertPosition) {
  auto session = m_database->connect("app", "orders");
  const std::int64_t position = m_database->insertPosition();
  session->insert(order(1));
  EXPECT_EQ(session->lastPosition(), position);
  EXPECT_GT(m_database->insertPosition(), position);
}

TEST_F(SimulatedDatabaseTest, takesPositionsWhenChangesAreMadeAndCommitsInTheirOwnOrder) {
  auto first = m_database->connect("app", "first");
  auto second = m_database->connect("app", "second");
  first->insert(order(1));
  second->insert(order(2));
  const std::int64_t early = first->lastPosition();
  second->commit();
  first->commit();
  const auto log = m_database->transactionsAfter(0, 10);
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].entries.front().id, 2);
  EXPECT_EQ(log[1].entries.front().id, 1);
  EXPECT_EQ(log[1].entries.front().position, early);
  EXPECT_LT(log[1].entries.front().position, log[0].commitPosition);
}

TEST_F(SimulatedDatabaseTest, makesASecondWriterOfARowWait) {
  insertOrders(*m_database, 1);
  auto holder = m_database->connect("app", "holder");
  setStatus(*holder, 1, "first");
  std::promise<std::int64_t> waiting;
  auto waiter = std::async(std::launch::async, [&] {
    auto session = m_database->connect("app", "waiter");
    session->insert(order(7));
    waiting.set_value(session->transactionId());
    setStatus(*session, 1, "second");
    session->commit();
    return session->lastPosition();
  });
  const std::int64_t waiterId = waiting.get_future().get();
  const auto isWaiting = [&] {
    for (const Blocker& blocker : m_database->runningUpTo(waiterId)) {
      if (blocker.transactionId == std::to_string(waiterId)) return !blocker.waitEvent.empty();
    }
    return false;
  };
  while (!isWaiting()) std::this_thread::yield();
  const std::int64_t held = m_database->insertPosition();
  holder->commit();
  EXPECT_GT(waiter.get(), held) << "row locks order the changes of one key";
  EXPECT_EQ(m_database->find(1)->status, "second");
}

TEST_F(SimulatedDatabaseTest, remembersThatAnUpdateLeftTheNoteAlone) {
  insertOrders(*m_database, 1);
  auto session = m_database->connect("app", "orders");
  setStatus(*session, 1, "paid");
  session->update(1, [](Order& row) { row.note = "new"; });
  session->commit();
  const auto log = m_database->transactionsAfter(0, 10);
  EXPECT_TRUE(log.back().entries.at(0).noteUnchanged);
  EXPECT_FALSE(log.back().entries.at(1).noteUnchanged);
}

TEST_F(SimulatedDatabaseTest, streamsACommitBeforeReadersSeeItWhenAskedTo) {
  insertOrders(*m_database, 1);
  std::string seenByReader;
  std::size_t inLog = 0;
  bool heldBack = false;
  SimulatorHooks hooks;
  hooks.commitLogged = [&](std::int64_t transactionId) {
    seenByReader = m_database->find(1)->status;
    inLog = m_database->transactionsAfter(0, 10).size();
    heldBack = m_database->snapshotXmin() <= transactionId;
  };
  m_database->setHooks(hooks);
  auto session = m_database->connect("app", "orders");
  setStatus(*session, 1, "paid");
  session->commit();
  EXPECT_EQ(seenByReader, "new");
  EXPECT_EQ(inLog, 2U);
  EXPECT_TRUE(heldBack);
  EXPECT_EQ(m_database->find(1)->status, "paid");
}

TEST_F(SimulatedDatabaseTest, refusesASecondOpening) {
  try {
    SimulatedDatabase::open(m_folder.path());
    FAIL() << "opened twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "simulator.in_use");
  }
}

TEST_F(SimulatedDatabaseTest, remembersASlot) {
  EXPECT_FALSE(m_database->slot("a").lastCommit.has_value());
  m_database->storeSlot("a", {120, 100});
  m_database->storeSlot("b", {130, std::nullopt});
  EXPECT_EQ(m_database->slot("a").streamed, 120);
  EXPECT_EQ(m_database->slot("a").lastCommit, 100);
  EXPECT_EQ(m_database->slot("b").streamed, 130);
  EXPECT_FALSE(m_database->slot("b").lastCommit.has_value());
}

/// Runs `work` on a database in a process of its own, which is killed with SIGKILL when it returns.
void inKilledProcess(const std::filesystem::path& folder, const std::function<void(SimulatedDatabase&)>& work) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto database = SimulatedDatabase::open(folder);
    work(*database);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the process failed before it was killed";
}

TEST(SimulatedDatabaseRecoveryTest, findsWhatWasCommittedAndNothingElseAfterKill9) {
  const TemporaryFolder folder;
  inKilledProcess(folder.path(), [](SimulatedDatabase& database) {
    insertOrders(database, 3);
    auto session = database.connect("app", "orders");
    setStatus(*session, 1, "lost");
    session->insert(order(9));
    session.release();  // still open when the process dies
  });
  const auto database = SimulatedDatabase::open(folder.path());
  EXPECT_EQ(database->find(1)->status, "new");
  EXPECT_FALSE(database->find(9).has_value());
  EXPECT_EQ(database->transactionsAfter(0, 10).size(), 1U);
  auto session = database->connect("app", "orders");
  setStatus(*session, 1, "after");
  session->commit();
  EXPECT_EQ(database->find(1)->status, "after");
}

TEST(SimulatedDatabaseRecoveryTest, handsNoPositionOutTwiceAndStaysTheSameServer) {
  const TemporaryFolder folder;
  const std::string file = (folder / "before").string();
  inKilledProcess(folder.path(), [&](SimulatedDatabase& database) {
    auto session = database.connect("app", "orders");
    session->insert(order(1));
    std::FILE* out = std::fopen(file.c_str(), "w");
    std::fprintf(out, "%lld %lld %s", static_cast<long long>(database.insertPosition()),
                 static_cast<long long>(session->transactionId()), database.serverStart().c_str());
    std::fclose(out);
    session.release();
  });
  long long position = 0, transactionId = 0;
  char start[64] = {};
  std::FILE* in = std::fopen(file.c_str(), "r");
  ASSERT_EQ(std::fscanf(in, "%lld %lld %63s", &position, &transactionId, start), 3);
  std::fclose(in);
  const auto database = SimulatedDatabase::open(folder.path());
  EXPECT_GE(database->insertPosition(), position);
  EXPECT_GT(database->takeTransactionId(), transactionId);
  EXPECT_EQ(database->serverStart(), start);
}

TEST(SimulatedDatabaseRecoveryTest, showsWhatWasLoggedAndNotYetVisible) {
  const TemporaryFolder folder;
  inKilledProcess(folder.path(), [](SimulatedDatabase& database) {
    insertOrders(database, 2);
    SimulatorHooks hooks;
    hooks.commitLogged = [](std::int64_t) { ::kill(::getpid(), SIGKILL); };
    database.setHooks(hooks);
    auto session = database.connect("app", "orders");
    setStatus(*session, 1, "paid");
    session->remove(2);
    session->commit();
  });
  const auto database = SimulatedDatabase::open(folder.path());
  EXPECT_EQ(database->find(1)->status, "paid");
  EXPECT_FALSE(database->find(2).has_value());
}

}  // namespace
}  // namespace tidemark::test
