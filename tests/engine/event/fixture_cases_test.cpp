// Every recorded case ends right under both schemes of the law, in order, twice over, and with any part delivered
// again, in batches of any size; and ends wrong under the rules that are known to be wrong.
//
// A key that the sink lists as doubtful or incomplete counts as right: it is read again from the source under a fresh
// boundary, which lies above all of this. The test stands in for that read with the state that the case expects, which
// is the source's own. So it also holds that a wrong row is never *un*listed.
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/event/event.h"
#include "tests/support/memory_sink.h"
#include "tests/support/recorded_events.h"

namespace tidemark {
namespace {

using test::MemorySink;

struct Case {
  std::string name;
  std::string file;
  std::int64_t untilOffset = 0;
  std::size_t column = 0;
  std::map<Key, std::optional<std::string>> expected;  ///< No value: the row must not be live.
  std::vector<std::string> wrongUnder;
};

std::vector<Case> recordedCases() {
  std::ifstream file(test::recordedPath("cases.json"));
  const auto document = nlohmann::json::parse(file);
  std::vector<Case> cases;
  for (const auto& item : document.at("cases")) {
    Case one;
    one.name = item.at("name");
    one.file = item.at("file");
    one.untilOffset = item.at("until_offset");
    const auto payload = test::ordersMapping(PositionScheme::Lsn).payload;
    while (payload.at(one.column).source != item.at("column")) ++one.column;
    for (const auto& [key, value] : item.at("expect").items())
      one.expected[{key}] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
    for (const auto& rule : item.at("wrong_under")) one.wrongUnder.push_back(rule);
    cases.push_back(std::move(one));
  }
  return cases;
}

/// How a control positions an event in place of the law.
using Reposition = std::function<void(const Event&, Change&)>;

std::vector<Change> changesOf(const Case& one, PositionScheme scheme, const Reposition& reposition = {}) {
  const EventDecoder decoder(test::ordersMapping(scheme));
  std::vector<Change> changes;
  for (const auto& record : test::recordedEvents(one.file)) {
    if (record.offset > one.untilOffset) break;
    Event event = decoder.decode(record.key, record.value);
    if (!event.change) continue;  // Tombstones.
    if (reposition) reposition(event, *event.change);
    changes.push_back(std::move(*event.change));
  }
  return changes;
}

/// Empty when every expected key is right or listed to be read again; otherwise what is wrong.
std::string whatIsWrong(const Case& one, const MemorySink& sink) {
  std::string wrong;
  for (const auto& [key, expected] : one.expected) {
    if (sink.keysToRead().contains(key)) continue;
    const MemorySink::Stored* row = sink.live(key);
    const std::string is = row == nullptr ? "not there" : row->payload.at(one.column).text;
    if (is != expected.value_or("not there"))
      wrong += "key " + displayKey(key) + " is " + is + ", expected " + expected.value_or("not there") + "; ";
  }
  return wrong;
}

constexpr std::array<std::size_t, 3> kBatchSizes{1, 7, 0};
constexpr std::array kSchemes{PositionScheme::Lsn, PositionScheme::CommitLsn};

void expectRight(const Case& one, PositionScheme scheme, const std::vector<Change>& delivered,
                 const std::string& delivery) {
  for (const std::size_t size : kBatchSizes) {
    MemorySink sink(scheme);
    sink.applyInBatches(delivered, size);
    ASSERT_EQ(whatIsWrong(one, sink), "")
        << one.name << ", " << schemeName(scheme) << ", batches of " << size << ", " << delivery;
  }
}

/// The stream up to `j`, then from `i` on again: a consumer that went back.
std::vector<Change> withPartAgain(const std::vector<Change>& changes, std::size_t i, std::size_t j) {
  std::vector<Change> delivered(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(j));
  delivered.insert(delivered.end(), changes.begin() + static_cast<std::ptrdiff_t>(i), changes.end());
  return delivered;
}

TEST(FixtureCases, AreAllRead) {
  const auto cases = recordedCases();
  EXPECT_EQ(cases.size(), 6U);
  for (const Case& one : cases) EXPECT_GT(changesOf(one, PositionScheme::Lsn).size(), 3U) << one.name;
}

TEST(FixtureCases, EndRightInOrderWithoutAnyDoubt) {
  for (const Case& one : recordedCases()) {
    for (const PositionScheme scheme : kSchemes) {
      const auto changes = changesOf(one, scheme);
      expectRight(one, scheme, changes, "in order");
      for (const std::size_t size : kBatchSizes) {
        MemorySink sink(scheme);
        EXPECT_EQ(sink.applyInBatches(changes, size).counts.doubtful, 0U) << one.name;
        EXPECT_TRUE(sink.keysToRead().empty()) << one.name << ": " << displayKey(*sink.keysToRead().begin());
      }
    }
  }
}

TEST(FixtureCases, EndRightDeliveredTwice) {
  for (const Case& one : recordedCases()) {
    for (const PositionScheme scheme : kSchemes) {
      const auto changes = changesOf(one, scheme);
      auto twice = changes;
      twice.insert(twice.end(), changes.begin(), changes.end());
      expectRight(one, scheme, twice, "whole delivered twice");
    }
  }
}

TEST(FixtureCases, EndRightWithAnyPartOfTheKeysChangesDeliveredAgain) {
  // The guard works key by key: every pair of cuts is tried on the changes of the keys that the case is about.
  for (const Case& one : recordedCases()) {
    for (const PositionScheme scheme : kSchemes) {
      auto changes = changesOf(one, scheme);
      std::erase_if(changes, [&](const Change& change) { return !one.expected.contains(change.key); });
      for (std::size_t j = 1; j <= changes.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
          const std::string cuts = std::to_string(i) + " to " + std::to_string(j);
          expectRight(one, scheme, withPartAgain(changes, i, j), "a consumer went back: " + cuts);
          auto late = changes;
          late.insert(late.end(), changes.begin() + static_cast<std::ptrdiff_t>(i),
                      changes.begin() + static_cast<std::ptrdiff_t>(j));
          expectRight(one, scheme, late, "again at the end: " + cuts);
        }
      }
    }
  }
}

TEST(FixtureCases, EndRightWithPartsOfTheWholeStreamDeliveredAgain) {
  // Every pair of cuts where the stream is short; where it is long every second one, which still moves the batches of
  // seven to every place around the same changes.
  for (const Case& one : recordedCases()) {
    for (const PositionScheme scheme : kSchemes) {
      const auto changes = changesOf(one, scheme);
      const std::size_t stride = changes.size() > 100 ? 2 : 1;
      for (std::size_t j = 1; j <= changes.size(); j += stride)
        for (std::size_t i = 0; i < j; i += stride)
          expectRight(one, scheme, withPartAgain(changes, i, j),
                      "again from " + std::to_string(i) + " after " + std::to_string(j));
    }
  }
}

void positionByLsnEverywhere(const Event& event, Change& change) {
  change.position = event.lsn ? Position{{*event.lsn, 0, 0}} : kNoPosition;
}
void positionByThePairAsItStands(const Event& event, Change& change) {
  change.position = {{event.lastCommit.value_or(0), change.lsn, 0}};
}

TEST(FixtureCases, EndWrongUnderTheRulesThatAreKnownToBeWrong) {
  const std::map<std::string, Reposition> rules{{"lsn_on_reads_too", positionByLsnEverywhere},
                                                {"pair_as_it_stands", positionByThePairAsItStands}};
  std::map<std::string, int> wrongCases;
  for (const Case& one : recordedCases()) {
    for (const auto& [rule, reposition] : rules) {
      const bool mustBeWrong = std::find(one.wrongUnder.begin(), one.wrongUnder.end(), rule) != one.wrongUnder.end();
      const auto changes = changesOf(one, PositionScheme::Lsn, reposition);
      for (const std::size_t size : kBatchSizes) {
        MemorySink sink(PositionScheme::Lsn);
        sink.applyInBatches(changes, size);
        EXPECT_EQ(!whatIsWrong(one, sink).empty(), mustBeWrong) << one.name << " under " << rule;
      }
      wrongCases[rule] += mustBeWrong ? 1 : 0;
    }
  }
  EXPECT_EQ(wrongCases.at("lsn_on_reads_too"), 2);
  EXPECT_EQ(wrongCases.at("pair_as_it_stands"), 4);
}

/// A partition's order is the source's order: the last change of each key in it is the truth, with the columns that it
/// left out as they were before.
std::map<Key, std::optional<Row>> lastChanges(const std::vector<Change>& changes) {
  std::map<Key, std::optional<Row>> rows;
  std::set<Key> readOnly;
  for (const Change& change : changes) {
    auto& row = rows[change.key];
    if (change.isRead) {
      if (!row) readOnly.insert(change.key);
      if (readOnly.contains(change.key)) row = change.payload;
      continue;
    }
    readOnly.erase(change.key);
    std::optional<Row> next;
    if (!change.deleted) next = change.payload;
    for (std::size_t i = 0; next && i < next->size(); ++i)
      if (next->at(i).isLeftOut()) next->at(i) = row->at(i);
    row = std::move(next);
  }
  for (const Key& key : readOnly) rows.erase(key);  // What reads alone may do differs by scheme.
  return rows;
}

TEST(FixtureRecordings, EndWithTheLastChangeOfEveryKey) {
  using Mapping = TableMapping (*)(PositionScheme);
  const std::map<std::string, Mapping> files{
      {"orders", test::ordersMapping},       {"initial-straddle", test::ordersMapping},
      {"alt-orders", test::ordersMapping},   {"resnapshot-and-offset-reset", test::ordersMapping},
      {"lines", test::linesMapping},         {"devices", test::devicesMapping},
      {"alt-devices", test::devicesMapping},
  };
  for (const auto& [file, mapping] : files) {
    for (const PositionScheme scheme : kSchemes) {
      const EventDecoder decoder(mapping(scheme));
      std::vector<Change> changes;
      for (const auto& record : test::recordedEvents(file))
        if (auto event = decoder.decode(record.key, record.value); event.change) changes.push_back(*event.change);
      for (const std::size_t size : kBatchSizes) {
        MemorySink sink(scheme);
        sink.applyInBatches(changes, size);
        for (const auto& [key, row] : lastChanges(changes)) {
          const auto* live = sink.live(key);
          ASSERT_EQ(live != nullptr, row.has_value()) << file << " key " << displayKey(key);
          if (row && !sink.keysToRead().contains(key)) {
            EXPECT_EQ(live->payload, *row) << file << " key " << displayKey(key);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tidemark
