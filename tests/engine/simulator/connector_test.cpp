#include "engine/simulator/connector.h"

#include <gtest/gtest.h>

#include "engine/event/event.h"
#include "engine/simulator/demo_mapping.h"
#include "tests/engine/simulator/orders.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {
namespace {

class SimulatedConnectorTest : public testing::Test {
 protected:
  std::vector<Event> decode(const std::vector<TopicMessage>& messages) {
    std::vector<Event> events;
    for (const TopicMessage& message : messages) events.push_back(m_decoder.decode(message.key, message.value));
    return events;
  }
  /// "c1 u2 d3 t3 …"
  std::string summary(const std::vector<TopicMessage>& messages) {
    std::string text;
    for (const TopicMessage& message : messages) {
      const Event event = m_decoder.decode(message.key, message.value);
      const char* letter = event.operation == Operation::Create      ? "c"
                           : event.operation == Operation::Update    ? "u"
                           : event.operation == Operation::Delete    ? "d"
                           : event.operation == Operation::Tombstone ? "t"
                                                                     : "?";
      const std::string key = message.key.substr(6, message.key.size() - 7);
      text += (text.empty() ? "" : " ") + (letter + key);
    }
    return text;
  }

  TemporaryFolder m_folder;
  std::shared_ptr<SimulatedDatabase> m_database = SimulatedDatabase::open(m_folder.path());
  std::unique_ptr<SimulatedSession> m_session = m_database->connect("shop", "orders");
  EventDecoder m_decoder{demoMapping()};
};

TEST_F(SimulatedConnectorTest, sendsEveryValueSoThatTheDecoderGetsItBack) {
  const std::vector<std::string> totals{"0.00",  "0.01",  "1.27",   "1.28",         "-0.01",
                                        "-1.28", "-1.29", "327.68", "9999999999.99"};
  for (std::size_t i = 0; i < totals.size(); ++i) {
    Order row = order(static_cast<std::int64_t>(i) + 1);
    row.customer = "Zoë \"quoted\" \\ 顧客";
    row.total = totals[i];
    row.note = "line\nbreak";
    row.updatedAt = canonicalTimestamp(1'767'225'600'000'000 + static_cast<std::int64_t>(i) * 100'010);
    m_session->insert(row);
  }
  m_session->commit();
  const auto events = decode(SimulatedConnector(m_database).poll(100));
  ASSERT_EQ(events.size(), totals.size());
  for (std::size_t i = 0; i < totals.size(); ++i) {
    ASSERT_TRUE(events[i].change.has_value());
    const Order row = *m_database->find(static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(events[i].change->key, Key{std::to_string(row.id)});
    EXPECT_EQ(events[i].change->payload, (Row{Cell::of(row.customer), Cell::of(row.status), Cell::of(row.total),
                                              Cell::of(*row.note), Cell::of(row.updatedAt)}));
  }
}

TEST_F(SimulatedConnectorTest, sendsTransactionsInCommitOrderWithThePositionsOfTheirChanges) {
  auto early = m_database->connect("shop", "early");
  early->insert(order(1));
  m_session->insert(order(2));
  m_session->remove(2);
  m_session->commit();
  early->commit();
  const auto messages = SimulatedConnector(m_database).poll(100);
  EXPECT_EQ(summary(messages), "c2 d2 t2 c1");
  const auto events = decode(messages);
  const auto log = m_database->transactionsAfter(0, 10);
  EXPECT_EQ(events[0].lsn, log[0].entries[0].position);
  EXPECT_EQ(events[0].lastCommit, std::nullopt) << "nothing was streamed before";
  EXPECT_EQ(events[1].lastCommit, std::nullopt) << "the same transaction";
  EXPECT_EQ(events[3].lastCommit, log[0].commitEnd);
  EXPECT_LT(*events[3].lsn, *events[0].lsn) << "streamed later with a smaller position";
  EXPECT_EQ(events[3].transactionId, log[1].transactionId);
}

TEST_F(SimulatedConnectorTest, leavesOutALongNoteThatAnUpdateDidNotTouch) {
  Order row = order(1);
  row.note = std::string(kLongNote + 1, 'n');
  m_session->insert(row);
  setStatus(*m_session, 1, "paid");
  m_session->update(1, [](Order& changed) { changed.note = std::string(kLongNote + 1, 'm'); });
  m_session->insert(order(2));
  m_session->update(2, [](Order& changed) { changed.note = "short"; });
  setStatus(*m_session, 2, "paid");
  m_session->commit();
  const auto events = decode(SimulatedConnector(m_database).poll(100));
  ASSERT_EQ(events.size(), 6U);
  EXPECT_TRUE(events[0].change->payload[3].isPresent());
  EXPECT_TRUE(events[1].change->payload[3].isLeftOut());
  EXPECT_EQ(events[2].change->payload[3], Cell::of(std::string(kLongNote + 1, 'm')));
  EXPECT_EQ(events[5].change->payload[3], Cell::of("short"));
}

TEST_F(SimulatedConnectorTest, goesOnAtItsCommittedOffsetAfterARestart) {
  insertOrders(*m_database, 1);
  {
    SimulatedConnector connector(m_database);
    connector.poll(100);
    connector.commitOffset();
    setStatus(*m_session, 1, "paid");
    m_session->commit();
    EXPECT_EQ(summary(connector.poll(100)), "u1");
  }
  const std::int64_t first = m_database->transactionsAfter(0, 1).front().commitEnd;
  m_session.reset();
  m_database.reset();
  m_database = SimulatedDatabase::open(m_folder.path());
  SimulatedConnector again(m_database);
  const auto messages = again.poll(100);
  EXPECT_EQ(summary(messages), "u1") << "not committed, so delivered again";
  EXPECT_EQ(decode(messages)[0].lastCommit, first);
}

TEST_F(SimulatedConnectorTest, forgetsTheLastCommitWhenItsOffsetIsDeleted) {
  insertOrders(*m_database, 1);
  setStatus(*m_session, 1, "paid");
  m_session->commit();
  SimulatedConnector connector(m_database);
  connector.poll(100);
  connector.commitOffset();
  connector.resetOffset(m_database->transactionsAfter(0, 1).front().commitEnd);
  const auto events = decode(connector.poll(100));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].lastCommit, std::nullopt);
}

TEST_F(SimulatedConnectorTest, losesAndRepeatsTransactionsOnRequest) {
  m_session->insert(order(1));
  m_session->commit();
  m_session->insert(order(2));
  const std::int64_t lost = m_session->commit();
  m_session->insert(order(3));
  m_session->commit();
  ConnectorOptions options;
  options.lose = {lost};
  options.repeatEvery = 2;
  EXPECT_EQ(summary(SimulatedConnector(m_database, options).poll(100)), "c1 c3 c3");
}

TEST_F(SimulatedConnectorTest, neverCutsATransaction) {
  insertOrders(*m_database, 3);
  setStatus(*m_session, 1, "paid");
  m_session->commit();
  SimulatedConnector connector(m_database);
  EXPECT_EQ(summary(connector.poll(2)), "c1 c2 c3");
  EXPECT_EQ(summary(connector.poll(2)), "u1");
  EXPECT_EQ(summary(connector.poll(2)), "");
}

}  // namespace
}  // namespace tidemark::test
