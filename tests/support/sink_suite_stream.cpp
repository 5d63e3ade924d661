#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>

#include "engine/apply/apply_stream.h"
#include "engine/core/error.h"
#include "tests/support/recorded_events.h"
#include "tests/support/sink_suite.h"

// Recorded change lines on their way into a sink.

namespace tidemark::test {
namespace {

/// The lines of a recording whose offset lies in [from, to], as they stand in the file.
std::string linesOf(const std::string& name, std::int64_t from = 0, std::int64_t to = 1'000'000) {
  std::ifstream file(recordedPath(name + ".jsonl"));
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const auto offset = nlohmann::json::parse(line).at("offset").get<std::int64_t>();
    if (offset >= from && offset <= to) text += line + "\n";
  }
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

StreamResult feed(Sink& sink, const TableMapping& mapping, const std::string& lines, std::size_t batchRows = 10000) {
  std::istringstream input(lines);
  StreamResult result;
  NoProgress progress;
  applyStream(input, EventDecoder(mapping), mapping, sink, {batchRows}, result, {}, progress);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.committedLine, result.lines);
  EXPECT_EQ(result.counts.total(), result.changes);
  return result;
}

struct Stopped {
  StreamResult result;
  std::string code, message, technical;
};

Stopped feedUntilItStops(Sink& sink, const TableMapping& mapping, const std::string& lines) {
  std::istringstream input(lines);
  Stopped stopped;
  NoProgress progress;
  try {
    applyStream(input, EventDecoder(mapping), mapping, sink, {2}, stopped.result, {}, progress);
    ADD_FAILURE() << "the stream went through";
  } catch (const Error& error) {
    stopped.code = error.code();
    stopped.message = error.what();
    stopped.technical = error.detail().technical;
  }
  EXPECT_FALSE(stopped.result.complete);
  return stopped;
}

/// The recorded tables, in the suite's database.
TableMapping inDatabase(SinkFixture& database, TableMapping mapping) {
  mapping.sink = database.tableName(mapping.source.name);
  return mapping;
}

/// What the column of a live row holds; "no row" where there is none. A key that is to be read again counts as right:
/// the read under a fresh boundary brings what the source has.
std::string valueOf(Sink& sink, const TableMapping& mapping, const Key& key, const std::string& column) {
  const std::vector<Key> keys{key};
  const std::vector<StoredRow> stored = sink.readKeys(mapping, keys);
  if (stored.empty() || stored[0].deleted) return "no row";
  for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
    if (mapping.payload[i].sink == column) return stored[0].payload[i].text;
  }
  return "no column";
}

TEST_P(SinkSuite, EndsEveryRecordedCaseRight) {
  std::ifstream file(recordedPath("cases.json"));
  const auto cases = nlohmann::json::parse(file).at("cases");
  ASSERT_GE(cases.size(), 6u);
  for (const PositionScheme scheme : {PositionScheme::Lsn, PositionScheme::CommitLsn}) {
    for (const auto& one : cases) {
      const TableMapping orders = inDatabase(database(), test::ordersMapping(scheme));
      const std::string lines = linesOf(one.at("file"), 0, one.at("until_offset"));
      for (const std::size_t batchRows : {1U, 7U, 10000U}) {
        createTable(orders);
        for (int delivery = 1; delivery <= 2; ++delivery) {
          feed(sink(), orders, lines, batchRows);
          const std::vector<Key> toRead = sink().keysToRead(orders, 1000);
          for (const auto& [key, value] : one.at("expect").items()) {
            if (std::ranges::find(toRead, Key{key}) != toRead.end()) continue;
            EXPECT_EQ(valueOf(sink(), orders, {key}, one.at("column")), value.is_null() ? "no row" : value)
                << one.at("name") << ", " << schemeName(scheme) << ", key " << key << ", batches of " << batchRows
                << ", delivery " << delivery;
          }
        }
        sink().clearKeysToRead(orders, sink().keysToRead(orders, 1000), Position{{INT64_MAX, 0, 0}});
        database().execute("DROP TABLE orders");
      }
    }
  }
}

// Offset 351 sets a long note, 352 changes the status alone: the note is left out of the event as unchanged TOAST.

TEST_P(SinkSuite, KeepsAnUnchangedToastValueOfTheChangeBeforeItInTheBatch) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  const StreamResult result = feed(sink(), orders, linesOf("orders", 351, 352));
  EXPECT_EQ(result.batches, 1u);
  EXPECT_EQ(result.counts.incomplete, 0u);
  EXPECT_EQ(valueOf(sink(), orders, {"5"}, "status"), "paid");
  EXPECT_EQ(valueOf(sink(), orders, {"5"}, "note").size(), 12800u);
  EXPECT_TRUE(sink().keysToRead(orders, 10).empty());
}

TEST_P(SinkSuite, KeepsAnUnchangedToastValueOfTheStoredRow) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  feed(sink(), orders, linesOf("orders", 351, 351));
  EXPECT_EQ(print(feed(sink(), orders, linesOf("orders", 352, 352)).counts), "updated 1");
  EXPECT_EQ(valueOf(sink(), orders, {"5"}, "status"), "paid");
  EXPECT_EQ(valueOf(sink(), orders, {"5"}, "note").size(), 12800u);
}

TEST_P(SinkSuite, ListsAnUnchangedToastValueThatNobodyKnowsAsToBeReadAgain) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  EXPECT_EQ(print(feed(sink(), orders, linesOf("orders", 352, 352)).counts), "inserted 1 incomplete 1");
  EXPECT_EQ(sink().keysToRead(orders, 10), (std::vector<Key>{{"5"}}));
  EXPECT_EQ(valueOf(sink(), orders, {"5"}, "note"), "") << "the placeholder never reaches the sink";
  // The change before it arrives late: it is older and is skipped, so the key has to be read.
  EXPECT_EQ(print(feed(sink(), orders, linesOf("orders", 351, 351)).counts), "older 1");
  EXPECT_EQ(sink().keysToRead(orders, 10), (std::vector<Key>{{"5"}}));
}

TEST_P(SinkSuite, AppliesCompositeKeysWithForeignLetters) {
  const TableMapping lines = inDatabase(database(), test::linesMapping(PositionScheme::Lsn));
  createTable(lines);
  const StreamResult result = feed(sink(), lines, linesOf("lines"), 50);
  EXPECT_EQ(result.changes, 181u);
  EXPECT_EQ(result.batches, 4u);
  const std::uint64_t live = sink().countLive(lines, {});
  EXPECT_EQ(live, result.counts.inserted);
  EXPECT_EQ(print(feed(sink(), lines, linesOf("lines"), 1000).counts).find("inserted"), std::string::npos);
  EXPECT_EQ(sink().countLive(lines, {}), live) << "a replay adds nothing";
}

TEST_P(SinkSuite, CountsTombstonesAndAppliesTheDeletesBeforeThem) {
  const TableMapping devices = inDatabase(database(), test::devicesMapping(PositionScheme::Lsn));
  createTable(devices);
  const StreamResult result = feed(sink(), devices, linesOf("devices"), 1);
  EXPECT_EQ(result.tombstones, 1u);
  EXPECT_EQ(result.counts.markedDeleted, 1u);
  EXPECT_EQ(sink().countMarkers(devices, {}), 1u);
  EXPECT_EQ(result.lines, result.changes + result.tombstones);
}

TEST_P(SinkSuite, CountsMessagesAndEventsOfOtherTables) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  const StreamResult result =
      feed(sink(), orders, linesOf("alt-message") + linesOf("devices") + linesOf("orders", 1, 3));
  EXPECT_EQ(result.messages, 2u);
  EXPECT_EQ(result.otherTables, (std::map<std::string, std::uint64_t>{{"public.devices", 33}}));
  EXPECT_EQ(result.changes, 3u);
  EXPECT_EQ(result.lines, 2u + 34u + 3u);
}

TEST_P(SinkSuite, StopsAtATruncateAndAsks) {
  const TableMapping devices = inDatabase(database(), test::devicesMapping(PositionScheme::Lsn));
  createTable(devices);
  const Stopped stopped = feedUntilItStops(sink(), devices, linesOf("alt-devices"));
  EXPECT_EQ(stopped.code, "apply.truncate");
  EXPECT_EQ(stopped.result.changes, 3u);
  EXPECT_EQ(stopped.result.committedLine, 3u);
  EXPECT_NE(stopped.message.find("line 4"), std::string::npos) << stopped.message;
  EXPECT_GT(sink().countLive(devices, {}), 0u) << "a truncate is never applied";
}

TEST_P(SinkSuite, PassesATruncateOfAnotherTable) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  EXPECT_EQ(feed(sink(), orders, linesOf("alt-devices")).otherTables.at("public.devices"), 4u);
}

TEST_P(SinkSuite, StopsAtALineThatIsCutOffAndSaysWhatWasCommitted) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  const std::string lines = linesOf("orders", 1, 4);
  const Stopped stopped = feedUntilItStops(sink(), orders, lines.substr(0, lines.size() - 100));
  EXPECT_EQ(stopped.code, "lines.cut_off");
  EXPECT_EQ(stopped.result.committedLine, 3u);
  EXPECT_EQ(stopped.result.changes, 3u);
  EXPECT_NE(stopped.message.find("4"), std::string::npos) << stopped.message;
  EXPECT_NE(stopped.technical.find("committed up to line 3: 3 changes in 2 transactions"), std::string::npos)
      << stopped.technical;
  EXPECT_EQ(sink().countLive(orders, {}), 3u);
  // The rest, once it is there.
  EXPECT_EQ(print(feed(sink(), orders, lines).counts).substr(0, 10), "inserted 1");
}

TEST_P(SinkSuite, StopsAtAnEventThatCannotBeDecoded) {
  TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  std::string lines = linesOf("orders", 1, 3);
  lines.replace(lines.rfind("\"customer\""), 10, "\"buyer\"");
  const Stopped stopped = feedUntilItStops(sink(), orders, lines);
  EXPECT_EQ(stopped.code, "event.missing_column");
  EXPECT_NE(stopped.message.find("line 3"), std::string::npos) << stopped.message;
  EXPECT_EQ(stopped.result.committedLine, 2u);
}

TEST_P(SinkSuite, SaysWhatWasCommittedWhenTheSinkFails) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  feed(sink(), orders, linesOf("orders", 1, 1));
  database().execute("DROP TABLE orders");
  const Stopped stopped = feedUntilItStops(sink(), orders, linesOf("orders", 1, 9));
  EXPECT_EQ(stopped.code, "sink.no_table");
  EXPECT_EQ(stopped.result.committedLine, 0u);
  EXPECT_NE(stopped.technical.find("committed up to line 0"), std::string::npos) << stopped.technical;
}

TEST_P(SinkSuite, StopsAStreamOnRequest) {
  const TableMapping orders = inDatabase(database(), test::ordersMapping(PositionScheme::Lsn));
  createTable(orders);
  std::stop_source stop;
  stop.request_stop();
  std::istringstream input(linesOf("orders", 1, 9));
  StreamResult result;
  NoProgress progress;
  EXPECT_THROW(applyStream(input, EventDecoder(orders), orders, sink(), {}, result, stop.get_token(), progress),
               Cancelled);
  EXPECT_FALSE(result.complete);
}

}  // namespace
}  // namespace tidemark::test
