#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/event/event.h"
#include "tests/support/recorded_events.h"

namespace tidemark {
namespace {

using test::pairOf;

constexpr const char* kSource =
    R"("source":{"ts_ms":1,"snapshot":"false","sequence":"[\"90\",\"100\"]","schema":"public","table":"t","txId":7,"lsn":100})";

std::string updateOf(const std::string& after) {
  return std::string(R"({"op":"u","before":null,"after":)") + after + "," + kSource + "}";
}

TableMapping oneColumn(const std::string& type, PositionScheme scheme = PositionScheme::Lsn) {
  return test::mappingOf("t", {pairOf("id", "bigint")}, {pairOf("v", type)}, scheme);
}

/// The cell that a bare JSON value of a column of `type` becomes.
Cell cellOf(const std::string& type, const std::string& json, EventEncodings encodings = {}) {
  const EventDecoder decoder(oneColumn(type), std::move(encodings));
  return decoder.decode(R"({"id":1})", updateOf(R"({"id":1,"v":)" + json + "}")).change->payload.at(0);
}

/// The same with the column's Connect schema around it.
Cell cellWithSchema(const std::string& type, const std::string& json, const std::string& schema) {
  const std::string fields = R"([{"type":"int64","field":"id"},)" + schema + "]";
  const std::string envelope =
      R"({"type":"struct","fields":[{"type":"struct","field":"after","fields":)" + fields + "}]}";
  const EventDecoder decoder(oneColumn(type));
  return decoder
      .decode(test::wrapped(R"({"type":"struct","fields":[{"type":"int64","field":"id"}]})", R"({"id":1})"),
              test::wrapped(envelope, updateOf(R"({"id":1,"v":)" + json + "}")))
      .change->payload.at(0);
}

template <typename Call>
std::string codeOf(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_NE(error.detail().hint, "") << error.what();
    return error.code();
  }
  return "not refused";
}

std::string refusal(const std::string& type, const std::string& json) {
  return codeOf([&] { cellOf(type, json); });
}

std::string text(const std::string& type, const std::string& json, EventEncodings encodings = {}) {
  const Cell cell = cellOf(type, json, std::move(encodings));
  EXPECT_TRUE(cell.isPresent()) << json;
  return cell.text;
}

TEST(EventValues, IntegersKeepEveryDigit) {
  EXPECT_EQ(text("bigint", "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(text("bigint", "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(text("bigint", "9007199254740993"), "9007199254740993");
  EXPECT_EQ(text("smallint", "0"), "0");
  EXPECT_EQ(refusal("integer", "1.5"), "event.type");
  EXPECT_EQ(refusal("integer", "1e3"), "event.type");
  EXPECT_EQ(refusal("integer", "true"), "event.type");
  EXPECT_EQ(refusal("integer", "\"x\""), "event.type");
}

TEST(EventValues, DecimalsOfAnyLengthStayExact) {
  EXPECT_EQ(text("numeric(12,2)", "\"AJH/\""), "373.75");
  EXPECT_EQ(text("numeric(12,2)", "\"AA==\""), "0.00");
  EXPECT_EQ(text("numeric(12,2)", "\"fQ==\""), "1.25");
  EXPECT_EQ(text("numeric(12,2)", "\"/w==\""), "-0.01");
  EXPECT_EQ(text("numeric(12,2)", "\"gA==\""), "-1.28");
  EXPECT_EQ(text("numeric(12,2)", "\"AIA=\""), "1.28");
  EXPECT_EQ(text("numeric(38,0)", "\"fwAAAAAAAAAAAAAAAAAAAA==\""), "168811955464684315858783496655603761152");
  EXPECT_EQ(text("numeric(3,-2)", "\"Bw==\""), "700");
  EXPECT_EQ(text("numeric", R"({"scale":9,"value":"J+QbMka+ybFuOYEV"})"), "12345678901234567890.123456789");
  EXPECT_EQ(text("numeric", R"({"scale":0,"value":"AA=="})"), "0");
  EXPECT_EQ(text("numeric", R"({"scale":-3,"value":"AQ=="})"), "1000");
}

TEST(EventValues, DecimalsMayComeAsTextOrAsNumbers) {
  EXPECT_EQ(text("numeric", "\"12345678901234567890.1234567890123456789\""),
            "12345678901234567890.1234567890123456789");
  EXPECT_EQ(text("numeric", "12345678901234567890.1234567890123456789"), "12345678901234567890.1234567890123456789");
  EXPECT_EQ(text("numeric", "123456789012345678901234567890"), "123456789012345678901234567890");
  EXPECT_EQ(text("numeric", "\"-0.0000001\""), "-0.0000001");
  EXPECT_EQ(text("numeric", "1.5E+3"), "1500");
  EXPECT_EQ(text("numeric", "15e-4"), "0.0015");
  EXPECT_EQ(text("numeric", "\"NAN\""), "NaN");
  EXPECT_EQ(text("numeric", "\"NEGATIVE_INFINITY\""), "-Infinity");
  EXPECT_EQ(text("numeric(12,2)", "\"1.00\""), "1.00");
  EXPECT_EQ(text("numeric(12,2)", "1.5"), "1.50");
  EXPECT_EQ(text("numeric(12,2)", "1"), "1.00");
  EXPECT_EQ(text("numeric(12,2)", "-0.00"), "0.00");
  EXPECT_EQ(refusal("numeric(12,2)", "1.555"), "event.type");
  EXPECT_EQ(refusal("numeric(12,2)", "\"x.y\""), "event.type");
  EXPECT_EQ(refusal("numeric", R"({"value":"AA=="})"), "event.type");
}

TEST(EventValues, ADecimalThatCanBeReadTwoWaysIsRefusedUntilTheSettingSays) {
  EXPECT_EQ(refusal("numeric(8,0)", "\"1234\""), "event.type");
  EXPECT_EQ(text("numeric(8,0)", "\"1234\"", {.decimals = DecimalStrings::Plain}), "1234");
  EXPECT_EQ(text("numeric(8,0)", "\"1234\"", {.decimals = DecimalStrings::Base64}), "-2658824");
  EXPECT_EQ(text("numeric(8,0)", "\"12345\""), "12345");
  EXPECT_EQ(cellWithSchema("numeric(8,0)", "\"1234\"", R"({"type":"string","field":"v"})").text, "1234");
  EXPECT_EQ(
      cellWithSchema(
          "numeric(8,0)", "\"1234\"",
          R"({"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"0"},"field":"v"})")
          .text,
      "-2658824");
}

TEST(EventValues, TheSchemasScaleIsTheOneOfTheEncoding) {
  // The column was altered from scale 2 to scale 4 after this event was written.
  EXPECT_EQ(
      cellWithSchema(
          "numeric(12,4)", "\"fQ==\"",
          R"({"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"},"field":"v"})")
          .text,
      "1.2500");
}

TEST(EventValues, DatesComeAsDaysOrAsIsoText) {
  EXPECT_EQ(text("date", "19782"), "2024-02-29");
  EXPECT_EQ(text("date", "0"), "1970-01-01");
  EXPECT_EQ(text("date", "-1"), "1969-12-31");
  EXPECT_EQ(text("date", "-719163"), "0001-12-31 BC");
  EXPECT_EQ(text("date", "\"2024-02-29Z\""), "2024-02-29");
  EXPECT_EQ(text("date", "\"2024-02-29\""), "2024-02-29");
  EXPECT_EQ(text("date", "\"-0043-03-15Z\""), "0044-03-15 BC");
  EXPECT_EQ(text("date", "\"+10000-01-01\""), "10000-01-01");
  EXPECT_EQ(text("date", "\"infinity\""), "infinity");
  EXPECT_EQ(refusal("date", "\"2023-02-29\""), "event.type");
  EXPECT_EQ(refusal("date", "\"2023-13-01\""), "event.type");
  EXPECT_EQ(refusal("date", "-622191234"), "event.type") << "what the connector makes of -infinity";
  EXPECT_EQ(refusal("date", "\"+292278994-08-16Z\""), "event.type");
}

TEST(EventValues, TimestampsTakeTheirUnitFromTheDeclaredPrecision) {
  EXPECT_EQ(text("timestamp without time zone", "1709210096789012"), "2024-02-29 12:34:56.789012");
  EXPECT_EQ(text("timestamp(6) without time zone", "1709210096000000"), "2024-02-29 12:34:56");
  EXPECT_EQ(text("timestamp(3) without time zone", "1709210096789"), "2024-02-29 12:34:56.789");
  EXPECT_EQ(text("timestamp(0) without time zone", "1709210096000"), "2024-02-29 12:34:56");
  EXPECT_EQ(text("timestamp without time zone", "-1"), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(text("timestamp without time zone", "\"2024-02-29T12:34:56.7890Z\""), "2024-02-29 12:34:56.789");
  EXPECT_EQ(text("timestamp without time zone", "-9223372036832400000"), "-infinity");
  EXPECT_EQ(text("timestamp without time zone", "9223372036825200000"), "infinity");
  EXPECT_EQ(text("timestamp without time zone", "\"-290308-12-21T19:59:27.6Z\""), "-infinity");
  EXPECT_EQ(refusal("timestamp without time zone", "-9223372036854775808"), "event.type");
  EXPECT_EQ(refusal("timestamp without time zone", "\"yesterday\""), "event.type");
}

TEST(EventValues, TimestampsTakeTheirUnitFromTheSchemaWhereThereIsOne) {
  const auto with = [](const char* name, const char* json) {
    const std::string schema = std::string(R"({"type":"int64","name":")") + name + R"(","field":"v"})";
    return cellWithSchema("timestamp without time zone", json, schema).text;
  };
  EXPECT_EQ(with("io.debezium.time.Timestamp", "1709210096789"), "2024-02-29 12:34:56.789");
  EXPECT_EQ(with("org.apache.kafka.connect.data.Timestamp", "1709210096789"), "2024-02-29 12:34:56.789");
  EXPECT_EQ(with("io.debezium.time.MicroTimestamp", "1709210096789012"), "2024-02-29 12:34:56.789012");
  EXPECT_EQ(with("io.debezium.time.NanoTimestamp", "1709210096789012000"), "2024-02-29 12:34:56.789012");
  EXPECT_EQ(codeOf([&] { with("io.debezium.time.MicroTime", "5"); }), "event.type");
}

TEST(EventValues, TimestampsWithZoneAreTurnedIntoUtc) {
  EXPECT_EQ(text("timestamp with time zone", "\"2026-11-29T22:37:58.540847Z\""), "2026-11-29 22:37:58.540847+00");
  EXPECT_EQ(text("timestamp with time zone", "\"2026-11-29T22:37:58.500000Z\""), "2026-11-29 22:37:58.5+00");
  EXPECT_EQ(text("timestamp with time zone", "\"2026-11-29T22:37:58Z\""), "2026-11-29 22:37:58+00");
  EXPECT_EQ(text("timestamp with time zone", "\"2026-12-31T23:30:00-01:30\""), "2027-01-01 01:00:00+00");
  EXPECT_EQ(text("timestamp with time zone", "\"2027-01-01T01:00:00+02:00\""), "2026-12-31 23:00:00+00");
  EXPECT_EQ(text("timestamp with time zone", "\"-0043-03-15T00:00:00Z\""), "0044-03-15 00:00:00+00 BC");
  EXPECT_EQ(text("timestamp with time zone", "\"infinity\""), "infinity");
}

TEST(EventValues, BytesAreBase64WhereTheSchemaSaysBytes) {
  EXPECT_EQ(cellWithSchema("bytea", "\"3q2+7wA=\"", R"({"type":"bytes","field":"v"})").text, "\\xdeadbeef00");
  EXPECT_EQ(cellWithSchema("bytea", "\"abcd\"", R"({"type":"bytes","field":"v"})").text, "\\x69b71d");
  EXPECT_EQ(cellWithSchema("bytea", "\"\"", R"({"type":"bytes","field":"v"})").text, "\\x");
}

TEST(EventValues, BytesInStringsAreReadWhereOnlyOneReadingIsPossible) {
  EXPECT_EQ(text("bytea", "\"3q2+7wA=\""), "\\xdeadbeef00");
  EXPECT_EQ(text("bytea", "\"deadbeef00\""), "\\xdeadbeef00");
  EXPECT_EQ(text("bytea", "\"3q2-7wA=\""), "\\xdeadbeef00");
  EXPECT_EQ(refusal("bytea", "\"abcd\""), "event.type");
  EXPECT_EQ(refusal("bytea", "\"%%\""), "event.type");
  EXPECT_EQ(text("bytea", "\"abcd\"", {.binaries = BinaryStrings::Hex}), "\\xabcd");
  EXPECT_EQ(text("bytea", "\"abcd\"", {.binaries = BinaryStrings::Base64}), "\\x69b71d");
  EXPECT_EQ(text("bytea", "\"-_-_\"", {.binaries = BinaryStrings::Base64Url}), "\\xfbffbf");
}

TEST(EventValues, TextUuidBooleanAndJsonComeAsTheyStand) {
  EXPECT_EQ(text("text", R"("t\u00ebxt \ud83d\udc18 \"q\" \\ \n")"), "t\xC3\xABxt \xF0\x9F\x90\x98 \"q\" \\ \n");
  EXPECT_EQ(text("character varying(5)", "\"\""), "");
  EXPECT_EQ(text("uuid", "\"73D2D856-0908-452d-af2d-9305d54045ea\""), "73d2d856-0908-452d-af2d-9305d54045ea");
  EXPECT_EQ(refusal("uuid", "\"73d2d856\""), "event.type");
  EXPECT_EQ(text("boolean", "false"), "false");
  EXPECT_EQ(refusal("boolean", "\"yes\""), "event.type");
  EXPECT_EQ(text("json", R"("{\"a\": 1,  \"b\":[1,2]}")"), R"({"a": 1,  "b":[1,2]})");
  EXPECT_EQ(refusal("jsonb", R"({"a":1})"), "event.type");
  EXPECT_EQ(refusal("text", "5"), "event.type");
}

TEST(EventValues, NullIsNullInEveryType) {
  for (const char* type : {"bigint", "numeric(12,2)", "text", "boolean", "date", "timestamp without time zone",
                           "timestamp with time zone", "uuid", "json", "jsonb", "bytea"})
    EXPECT_TRUE(cellOf(type, "null").isNull()) << type;
}

TEST(EventValues, ThePlaceholderOfUnchangedToastIsLeftOutInEveryEncoding) {
  EXPECT_TRUE(cellOf("text", "\"__debezium_unavailable_value\"").isLeftOut());
  EXPECT_TRUE(cellOf("jsonb", "\"__debezium_unavailable_value\"").isLeftOut());
  EXPECT_TRUE(cellOf("bytea", "\"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==\"").isLeftOut());
  EXPECT_TRUE(cellOf("bytea", "\"5f5f646562657a69756d5f756e617661696c61626c655f76616c7565\"").isLeftOut());
  EXPECT_TRUE(cellOf("text", "\"(toast)\"", {.placeholder = "(toast)"}).isLeftOut());
  EXPECT_TRUE(cellOf("text", "\"__debezium_unavailable_value \"").isPresent());
}

TEST(EventDecoder, PositionsChangesByBothSchemes) {
  const std::string value = updateOf(R"({"id":1,"v":"x"})");
  const auto lsn = EventDecoder(oneColumn("text")).decode(R"({"id":1})", value);
  ASSERT_TRUE(lsn.change);
  EXPECT_EQ(lsn.operation, Operation::Update);
  EXPECT_EQ(lsn.change->key, Key{"1"});
  EXPECT_EQ(lsn.change->position, (Position{{100, 0, 0}}));
  EXPECT_EQ(lsn.lsn, 100);
  EXPECT_EQ(lsn.lastCommit, 90);
  EXPECT_EQ(lsn.transactionId, 7);
  EXPECT_EQ(lsn.timestamp, 1);
  const auto pair = EventDecoder(oneColumn("text", PositionScheme::CommitLsn)).decode(R"({"id":1})", value);
  EXPECT_EQ(pair.change->position, (Position{{100, 100, 0}}));
  EXPECT_FALSE(pair.change->firstElementNull);
  EXPECT_FALSE(pair.change->isRead);
}

TEST(EventDecoder, GivesReadsNoPositionUnderLsnAndTheStreamsUnderCommitLsn) {
  const auto orders = test::recordedEvents("orders");
  std::map<std::string, int> seen;
  for (const PositionScheme scheme : {PositionScheme::Lsn, PositionScheme::CommitLsn}) {
    const EventDecoder decoder(test::ordersMapping(scheme));
    for (const auto& record : orders) {
      const Event event = decoder.decode(record.key, record.value);
      if (event.operation != Operation::Read) continue;
      ++seen[event.snapshot];
      EXPECT_TRUE(event.change->isRead);
      EXPECT_EQ(event.lsn.has_value(), event.snapshot != "incremental");
      EXPECT_EQ(event.change->position,
                scheme == PositionScheme::Lsn ? kNoPosition : (Position{{event.lastCommit.value_or(0), 0, 0}}));
    }
  }
  EXPECT_EQ(seen.at("incremental"), 70);
  EXPECT_EQ(seen.at("first"), 6);
}

TEST(EventDecoder, ReadsTheSameWithAndWithoutSchemas) {
  const std::vector<std::pair<std::string, TableMapping>> files{
      {"orders", test::ordersMapping(PositionScheme::CommitLsn)},
      {"lines", test::linesMapping(PositionScheme::CommitLsn)},
      {"devices", test::devicesMapping(PositionScheme::CommitLsn)}};
  for (const auto& [file, mapping] : files) {
    const EventDecoder decoder(mapping);
    const auto schemas = test::recordedSchemas(file);
    for (const auto& record : test::recordedEvents(file)) {
      const Event bare = decoder.decode(record.key, record.value);
      const std::string key = test::wrapped(schemas.key, record.key);
      const std::string value = record.value == "null" ? "null" : test::wrapped(schemas.value, record.value);
      for (const Event& other :
           {decoder.decode(key, value), decoder.decode(record.key, value), decoder.decode(key, record.value)}) {
        ASSERT_EQ(other.operation, bare.operation);
        ASSERT_EQ(other.change.has_value(), bare.change.has_value());
        if (!bare.change) continue;
        EXPECT_EQ(other.change->key, bare.change->key);
        EXPECT_EQ(other.change->payload, bare.change->payload);
        EXPECT_EQ(other.change->position, bare.change->position);
      }
    }
  }
}

TEST(EventDecoder, ReadsTheOtherSettingsOfTheConnectorToTheSameValues) {
  const EventDecoder decoder(test::ordersMapping(PositionScheme::Lsn));
  const auto events = test::recordedEvents("alt-orders");
  const Event first = decoder.decode(events.front().key, events.front().value);
  EXPECT_EQ(first.change->payload, (Row{Cell::of("c"), Cell::of("tx"), Cell::of("1.00"), Cell::null(),
                                        Cell::of("2026-11-29 22:41:29.914987+00")}));
}

/// The supported columns of the recording of fifty types.
TableMapping typesMapping() {
  return test::mappingOf(
      "types", {pairOf("id", "integer")},
      {pairOf("c_bool", "boolean"), pairOf("c_i2", "smallint"), pairOf("c_i4", "integer"), pairOf("c_i8", "bigint"),
       pairOf("c_num", "numeric"), pairOf("c_num_s", "numeric(20,4)"), pairOf("c_text", "text"),
       pairOf("c_varchar", "character varying(10)"), pairOf("c_bytea", "bytea"), pairOf("c_date", "date"),
       pairOf("c_ts", "timestamp without time zone"), pairOf("c_tstz", "timestamp with time zone"),
       pairOf("c_ts3", "timestamp(3) without time zone"), pairOf("c_uuid", "uuid"), pairOf("c_json", "json"),
       pairOf("c_jsonb", "jsonb")},
      PositionScheme::Lsn);
}

TEST(EventDecoder, ReadsTheRecordedTypesInBothEncodings) {
  Row expected;
  for (const char* cell :
       {"true", "-32768", "2147483647", "9223372036854775807", "12345678901234567890.123456789", "1234.5000", "", "vc",
        "\\xdeadbeef00", "2024-02-29", "2024-02-29 12:34:56.789012", "2024-02-29 10:34:56.789012+00",
        "2024-02-29 12:34:56.789", "00000000-0000-0000-0000-00000000000a", R"({"a": 1,  "b":[1,2]})",
        R"({"a": null, "b": 1.10})"})
    expected.push_back(Cell::of(cell));
  const EventDecoder decoder(typesMapping());
  const auto schemas = test::recordedSchemas("types");
  int found = 0;
  for (const char* file : {"types", "alt-types"}) {
    for (const auto& record : test::recordedEvents(file)) {
      if (record.key != R"({"id":1})" || record.value == "null") continue;
      for (const bool withSchema : {false, true}) {
        if (withSchema && std::string(file) != "types") continue;  // The other's were off when it was recorded.
        const Event event =
            decoder.decode(record.key, withSchema ? test::wrapped(schemas.value, record.value) : record.value);
        if (event.operation == Operation::Delete) continue;
        Row row = event.change->payload;
        row.at(6) = expected.at(6);  // The text is what the recorded updates change.
        EXPECT_EQ(row, expected) << file;
        ++found;
      }
    }
  }
  EXPECT_GE(found, 4);
}

TEST(EventDecoder, TakesOnlyTheKeyOfADeletesImage) {
  // The recorded image of a delete holds made-up values: empty texts, zero, 1970.
  const EventDecoder decoder(test::ordersMapping(PositionScheme::Lsn));
  int deletes = 0;
  for (const auto& record : test::recordedEvents("orders")) {
    const Event event = decoder.decode(record.key, record.value);
    if (event.operation != Operation::Delete) continue;
    ++deletes;
    EXPECT_TRUE(event.change->deleted);
    EXPECT_TRUE(event.change->payload.empty());
  }
  EXPECT_EQ(deletes, 6);
}

TEST(EventDecoder, ReadsADeleteWithoutAnyImage) {
  const Event event =
      EventDecoder(oneColumn("text"))
          .decode(R"({"id":9})", std::string(R"({"op":"d","before":null,"after":null,)") + kSource + "}");
  EXPECT_EQ(event.change->key, Key{"9"});
}

TEST(EventDecoder, TakesTheKeyFromTheImageWhenTheMessageKeyIsAnother) {
  const Event event = EventDecoder(oneColumn("text")).decode(R"({"tenant":4})", updateOf(R"({"id":1,"v":"x"})"));
  EXPECT_EQ(event.change->key, Key{"1"});
}

TEST(EventDecoder, ReadsKeysWhoseColumnsAreNamedLikeTheWrapper) {
  const auto mapping = test::mappingOf("t", {pairOf("schema", "text"), pairOf("payload", "integer")},
                                       {pairOf("v", "text")}, PositionScheme::Lsn);
  const Event event =
      EventDecoder(mapping).decode(R"({"schema":"s","payload":3})", updateOf(R"({"schema":"s","payload":3,"v":"x"})"));
  EXPECT_EQ(event.change->key, (Key{"s", "3"}));
}

TEST(EventDecoder, TellsTombstonesTruncatesAndMessagesApart) {
  const EventDecoder decoder(test::devicesMapping(PositionScheme::CommitLsn));
  EXPECT_EQ(decoder.decode(R"({"id":1})", "null").operation, Operation::Tombstone);
  EXPECT_EQ(decoder.decode("null", test::recordedEvents("alt-devices").at(3).value).operation, Operation::Truncate);
  for (const auto& record : test::recordedEvents("alt-message")) {
    const Event event = decoder.decode(record.key, record.value);
    EXPECT_EQ(event.operation, Operation::Message);
    EXPECT_FALSE(event.change);
  }
}

TEST(EventDecoder, GivesNoChangeForAnotherTable) {
  const auto record = test::recordedEvents("orders").front();
  EXPECT_FALSE(EventDecoder(test::devicesMapping(PositionScheme::Lsn)).decode(record.key, record.value).change);
}

TEST(EventDecoder, LetsColumnsComeButNotGo) {
  const EventDecoder decoder(oneColumn("text"));
  EXPECT_EQ(
      decoder.decode(R"({"id":1})", updateOf(R"({"id":1,"extra":[1,{"a":2}],"v":"x"})")).change->payload.at(0).text,
      "x");
  try {
    decoder.decode(R"({"id":1})", updateOf(R"({"id":1,"v_renamed":"x"})"));
    FAIL() << "a missing column was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "event.missing_column");
    EXPECT_NE(std::string(error.what()).find("\"v\""), std::string::npos);
  }
}

TEST(EventDecoder, RefusesWhatCannotBeAppliedWithAReason) {
  const EventDecoder lsn(oneColumn("text"));
  const EventDecoder pair(oneColumn("text", PositionScheme::CommitLsn));
  const std::string after = R"("after":{"id":1,"v":"x"})";
  const auto code = [&](const EventDecoder& decoder, const std::string& key, const std::string& value) {
    return codeOf([&] { decoder.decode(key, value); });
  };
  const auto source = [](const std::string& members) {
    return R"("source":{"schema":"public","table":"t",)" + members + "}";
  };
  EXPECT_EQ(code(lsn, R"({"id":1})", "{"), "event.json");
  EXPECT_EQ(code(lsn, R"({"id":1)", updateOf(R"({"id":1,"v":"x"})")), "event.json");
  EXPECT_EQ(code(lsn, R"({"id":1})", std::string(5000, '[')), "event.json");
  EXPECT_EQ(code(lsn, R"({"id":1})", R"({"id":1,"v":"x"})"), "event.envelope");
  EXPECT_EQ(code(lsn, R"({"id":1})", "{\"op\":\"x\"," + after + "," + kSource + "}"), "event.envelope");
  EXPECT_EQ(code(lsn, R"({"id":1})", "{\"op\":\"u\"," + after + "}"), "event.envelope");
  EXPECT_EQ(code(lsn, R"({"id":1})", std::string(R"({"op":"u","after":null,)") + kSource + "}"), "event.envelope");
  EXPECT_EQ(code(lsn, "null", updateOf(R"({"v":"x"})")), "event.key");
  EXPECT_EQ(code(lsn, R"({"id":null})", updateOf(R"({"id":1,"v":"x"})")), "event.key");
  EXPECT_EQ(code(lsn, R"({"id":1})", "{\"op\":\"u\"," + after + "," + source(R"("ts_ms":1)") + "}"), "event.position");
  EXPECT_EQ(code(lsn, R"({"id":1})", "{\"op\":\"u\"," + after + "," + source(R"("lsn":9223372036854775808)") + "}"),
            "event.position");
  EXPECT_EQ(code(pair, R"({"id":1})", "{\"op\":\"u\"," + after + "," + source(R"("lsn":5)") + "}"), "event.position");
  EXPECT_EQ(code(pair, R"({"id":1})", "{\"op\":\"u\"," + after + "," + source(R"("lsn":5,"sequence":"[1]")") + "}"),
            "event.position");
  EXPECT_EQ(
      code(pair, R"({"id":1})", "{\"op\":\"u\"," + after + "," + source(R"("lsn":5,"sequence":"[null,\"6\"]")") + "}"),
      "event.position");
}

}  // namespace
}  // namespace tidemark
