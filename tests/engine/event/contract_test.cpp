#include "engine/event/contract.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/recorded_events.h"

namespace tidemark {
namespace {

using nlohmann::json;

ContractTerms termsOf(std::vector<std::string> key, std::vector<std::string> columns) {
  ContractTerms terms;
  terms.keyColumns = std::move(key);
  terms.requiredColumns = std::move(columns);
  return terms;
}

ContractTerms ordersTerms() {
  return termsOf({"id"}, {"id", "customer", "status", "total", "note", "updated_at"});
}

std::string listed(const std::vector<ContractViolation>& violations) {
  std::string text;
  for (const auto& violation : violations)
    text += std::to_string(violation.record) + " " + violation.code + ": " + violation.message + "\n";
  return text;
}

/// Everything that a recording breaks.
std::string brokenBy(const std::string& file, const ContractTerms& terms) {
  ContractChecker checker(terms);
  std::string found;
  for (const auto& record : test::recordedEvents(file)) found += listed(checker.check(record.key, record.value));
  return found + listed(checker.finish());
}

TEST(Contract, IsKeptByEveryRecording) {
  EXPECT_EQ(brokenBy("orders", ordersTerms()), "");
  EXPECT_EQ(brokenBy("initial-straddle", ordersTerms()), "");
  EXPECT_EQ(brokenBy("lines", termsOf({"order_id", "sku"}, {"order_id", "sku", "qty"})), "");
  EXPECT_EQ(brokenBy("devices", termsOf({"id"}, {"id", "label"})), "");
  EXPECT_EQ(brokenBy("types", termsOf({"id"}, {"id", "c_text"})), "");
}

TEST(Contract, IsKeptByTheRecordingsWithoutTombstonesWhenTheTermsSaySo) {
  // The connector of the `alt` files sent none; the other file is an excerpt without them, as its offsets show.
  ContractTerms orders = ordersTerms();
  orders.tombstones = false;
  EXPECT_EQ(brokenBy("resnapshot-and-offset-reset", orders), "");
  EXPECT_EQ(brokenBy("alt-orders", orders), "");
  ContractTerms devices = termsOf({"id"}, {"id", "label"});
  devices.tombstones = false;
  devices.truncatesExpected = true;
  EXPECT_EQ(brokenBy("alt-devices", devices), "");
  ContractTerms messages = termsOf({}, {});
  messages.messagesExpected = true;
  EXPECT_EQ(brokenBy("alt-message", messages), "");
}

TEST(Contract, FindsTruncatesMessagesAndMissingTombstonesThatNobodyExpects) {
  const std::string devices = brokenBy("alt-devices", termsOf({"id"}, {"id", "label"}));
  EXPECT_NE(devices.find("3 tombstone"), std::string::npos) << devices;
  EXPECT_NE(devices.find("4 truncate"), std::string::npos) << devices;
  EXPECT_NE(brokenBy("alt-message", termsOf({}, {})).find("1 message"), std::string::npos);
}

TEST(Contract, ReadsWrappedRecordsLikeBareOnes) {
  const auto schemas = test::recordedSchemas("orders");
  ContractChecker checker(ordersTerms());
  for (const auto& record : test::recordedEvents("orders"))
    EXPECT_EQ(listed(checker.check(test::wrapped(schemas.key, record.key),
                                   record.value == "null" ? "null" : test::wrapped(schemas.value, record.value))),
              "");
}

/// A good record of each kind, to be spoilt.
json recordOf(const std::string& op) {
  json record{{"key", {{"id", 1}}},
              {"value",
               {{"op", op},
                {"before", nullptr},
                {"after", {{"id", 1}, {"email", "a@x.io"}}},
                {"source", {{"snapshot", "false"}, {"txId", 500}, {"lsn", 100}, {"ts_ms", 1000}}},
                {"ts_ms", 1011}}}};
  json& value = record["value"];
  if (op == "d") std::swap(value["before"], value["after"]);
  if (op == "r") value["source"]["snapshot"] = "true";
  return record;
}

json incrementalRead() {
  json record = recordOf("r");
  record["value"]["source"] = {{"snapshot", "incremental"}, {"txId", nullptr}, {"lsn", nullptr}, {"ts_ms", 1000}};
  return record;
}

/// Codes of what the records break, in order.
std::vector<std::string> codes(const std::vector<json>& records, const ContractTerms& terms) {
  ContractChecker checker(terms);
  std::vector<std::string> found;
  const auto add = [&](const std::vector<ContractViolation>& violations) {
    for (const auto& violation : violations) {
      EXPECT_NE(violation.message, "");
      found.push_back(violation.code);
    }
  };
  for (const json& record : records) add(checker.check(record.at("key").dump(), record.at("value").dump()));
  add(checker.finish());
  return found;
}
std::vector<std::string> codes(const std::vector<json>& records) {
  return codes(records, termsOf({"id"}, {"id", "email"}));
}

using Codes = std::vector<std::string>;

TEST(Contract, AcceptsAGoodRecordOfEachKind) {
  for (const char* op : {"c", "u", "r"}) EXPECT_EQ(codes({recordOf(op)}), Codes{}) << op;
  EXPECT_EQ(codes({incrementalRead()}), Codes{});
  EXPECT_EQ(codes({recordOf("d"), {{"key", {{"id", 1}}}, {"value", nullptr}}}), Codes{});
}

TEST(Contract, FindsEverySeededViolation) {
  const auto spoilt = [](const std::string& op, auto spoil) {
    json record = recordOf(op);
    spoil(record["key"], record["value"]);
    return codes({record});
  };
  EXPECT_EQ(spoilt("u", [](json& key, json&) { key = nullptr; }), Codes{"key"});
  EXPECT_EQ(spoilt("u", [](json& key, json&) { key = {{"other", 1}}; }), Codes{"key"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["op"] = "x"; }), Codes{"op"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value.erase("op"); }), Codes{"op"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value.erase("source"); }), Codes{"envelope"});
  EXPECT_EQ(spoilt("c", [](json&, json& value) { value["before"] = value["after"]; }), Codes{"before"});
  EXPECT_EQ(spoilt("r", [](json&, json& value) { value["before"] = value["after"]; }), Codes{"before"});
  EXPECT_EQ(spoilt("c", [](json&, json& value) { value["after"] = nullptr; }), Codes{"after"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["after"] = nullptr; }), Codes{"after"});
  EXPECT_EQ(spoilt("u", [](json& key, json&) { key["id"] = 2; }), Codes{"image_key"});
  EXPECT_EQ(spoilt("u", [](json& key, json&) { key["id"] = "1"; }), Codes{"image_key"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["source"].erase("lsn"); }), Codes{"position"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["source"]["lsn"] = nullptr; }), Codes{"position"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["source"]["lsn"] = "100"; }), Codes{"position"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["source"]["txId"] = nullptr; }), Codes{"position"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["source"].erase("ts_ms"); }), Codes{"time"});
  EXPECT_EQ(spoilt("r", [](json&, json& value) { value["source"]["snapshot"] = "false"; }), Codes{"snapshot"});
  EXPECT_EQ(spoilt("r", [](json&, json& value) { value["source"].erase("snapshot"); }), Codes{"snapshot"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["source"]["snapshot"] = true; }), Codes{"snapshot"});
  EXPECT_EQ(spoilt("u", [](json&, json& value) { value["source"]["snapshot"] = "maybe"; }), Codes{"snapshot"});
}

TEST(Contract, FindsASpoiltDeleteAndAnIncrementalReadWithAPosition) {
  const json tombstone{{"key", {{"id", 1}}}, {"value", nullptr}};
  json removal = recordOf("d");
  removal["value"]["after"] = {{"id", 1}, {"email", "b@x.io"}};
  EXPECT_EQ(codes({removal, tombstone}), Codes{"after"});
  removal = recordOf("d");
  removal["value"]["before"] = nullptr;
  EXPECT_EQ(codes({removal, tombstone}), Codes{"before"});
  json read = incrementalRead();
  read["value"]["source"]["lsn"] = 90;
  EXPECT_EQ(codes({read}), Codes{"position"});
}

TEST(Contract, LetsAColumnComeButNotGoOrBeRenamed) {
  json added = recordOf("u");
  added["value"]["after"]["phone"] = "+1-555-0100";
  EXPECT_EQ(codes({added}), Codes{});
  json dropped = recordOf("u");
  dropped["value"]["after"].erase("email");
  EXPECT_EQ(codes({dropped}), Codes{"column"});
  json renamed = dropped;
  renamed["value"]["after"]["email_address"] = "a@x.io";
  EXPECT_EQ(codes({renamed}), Codes{"column"});
}

TEST(Contract, WantsTheWholeRowBeforeOnlyWithFullReplicaIdentity) {
  ContractTerms full = termsOf({"id"}, {"id", "email"});
  full.fullReplicaIdentity = true;
  EXPECT_EQ(codes({recordOf("u")}, full), Codes{"before"});
  json removal = recordOf("d");
  removal["value"]["before"].erase("email");
  const json tombstone{{"key", {{"id", 1}}}, {"value", nullptr}};
  EXPECT_EQ(codes({removal, tombstone}, full), Codes{"column"});
  EXPECT_EQ(codes({removal, tombstone}), Codes{});
}

TEST(Contract, WantsATombstoneRightAfterItsDeleteAndNowhereElse) {
  const json tombstone{{"key", {{"id", 1}}}, {"value", nullptr}};
  const json other{{"key", {{"id", 2}}}, {"value", nullptr}};
  EXPECT_EQ(codes({tombstone}), Codes{"tombstone"});
  EXPECT_EQ(codes({recordOf("u"), tombstone}), Codes{"tombstone"});
  EXPECT_EQ(codes({recordOf("d")}), Codes{"tombstone"});
  EXPECT_EQ(codes({recordOf("d"), recordOf("r"), tombstone}), (Codes{"tombstone", "tombstone"}));
  EXPECT_EQ(codes({recordOf("d"), other}), (Codes{"tombstone", "tombstone"}));
}

TEST(Contract, ComparesAChangeThatIsDeliveredAgain) {
  json again = recordOf("u");
  again["value"]["ts_ms"] = 1020;
  EXPECT_EQ(codes({recordOf("u"), again}), Codes{}) << "the connector's own time may differ";
  json sequence = recordOf("u");
  sequence["value"]["source"]["sequence"] = "[null,\"100\"]";
  EXPECT_EQ(codes({recordOf("u"), sequence}), Codes{}) << "the last commit is forgotten by an offset reset";
  json changed = recordOf("u");
  changed["value"]["after"]["email"] = "other@x.io";
  EXPECT_EQ(codes({recordOf("u"), changed}), Codes{"redelivery"});
  EXPECT_EQ(codes({recordOf("c"), recordOf("u")}), Codes{"redelivery"});
  json transaction = recordOf("u");
  transaction["value"]["source"]["txId"] = 501;
  EXPECT_EQ(codes({recordOf("u"), transaction}), Codes{"redelivery"});
  json otherKey = changed;
  otherKey["key"]["id"] = otherKey["value"]["after"]["id"] = 2;
  EXPECT_EQ(codes({recordOf("u"), otherKey}), Codes{}) << "changes of two keys may share a position";
}

TEST(Contract, DoesNotCompareReads) {
  json later = recordOf("r");
  later["value"]["after"]["email"] = "later@x.io";
  EXPECT_EQ(codes({recordOf("r"), later}), Codes{});
  EXPECT_EQ(codes({recordOf("r"), recordOf("u")}), Codes{});
}

TEST(Contract, ForgetsTheOldestChangesToBoundItsMemory) {
  ContractTerms terms = termsOf({"id"}, {"id", "email"});
  terms.rememberedChanges = 2;
  std::vector<json> records;
  for (int lsn : {100, 101, 102, 100}) {
    records.push_back(recordOf("u"));
    records.back()["value"]["source"]["lsn"] = lsn;
  }
  records.back()["value"]["after"]["email"] = "other@x.io";
  EXPECT_EQ(codes(records, terms), Codes{});
  terms.rememberedChanges = 3;
  EXPECT_EQ(codes(records, terms), Codes{"redelivery"});
}

TEST(Contract, CallsBadJsonAViolation) {
  ContractChecker checker(ordersTerms());
  const auto violations = checker.check("{\"id\":1}", "{");
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].code, "json");
  EXPECT_EQ(violations[0].record, 1U);
}

}  // namespace
}  // namespace tidemark
