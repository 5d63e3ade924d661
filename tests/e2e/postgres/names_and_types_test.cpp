#include "tests/e2e/postgres/live_feed.h"

// Names that want quoting, keys of several types, and every column type that is carried, through a whole run.

namespace tidemark::test {
namespace {

const std::string kSource = R"("Straße & Co"."Bestellung ""neu""")";
const std::string kSink = R"("lager.halle"."BESTELLUNG neu")";
const std::string kKey = R"("Kunde-Nr", "artikel'nummer", "n")";
const std::string kColumns =
    kKey + R"(, "kleine Zahl", ganz, groß, "genau 2,-", beliebig, "Text", varchar, ja, tag, zeit, "zeit mit Zone", )" +
    R"("wer?", "roh json", "binär json", bytes)";

std::string columns(const std::string& nullable) {
  return R"("Kunde-Nr" uuid, "artikel'nummer" text, "n" int, "kleine Zahl" smallint)" + nullable +
         R"(, ganz integer, groß bigint, "genau 2,-" numeric(12,2), beliebig numeric, "Text" text, varchar varchar(40), )" +
         R"(ja boolean, tag date, zeit timestamp, "zeit mit Zone" timestamptz, "wer?" uuid, "roh json" json, )" +
         R"("binär json" jsonb, bytes bytea)";
}

/// Ordinary rows, extreme ones and one that is NULL wherever it may be.
std::string rows() {
  return R"(SELECT ('00000000-0000-0000-0000-' || lpad(to_hex(g % 7), 12, '0'))::uuid,
  (ARRAY['', 'a', 'A', 'ä', 'a b', E'a\tb', E'a\\b', 'it''s', '"q"', '汉字', '🐘', '%_;--'])[1 + g % 12], g,
  (g % 3 - 1) * 32767, g * 1000, g * 9007199254740993, g / 3.0, g::numeric / 7, repeat('äöü €', g % 5) || E'\n' || g,
  'v' || g, g % 2 = 0, date '2024-02-29' + g, timestamp '1999-12-31 23:59:59.999999' + g * interval '1 hour',
  timestamptz '2038-01-19 03:14:07.5+02' + g * interval '1 day', md5(g::text)::uuid,
  ('{"b": 1,  "a": [' || g || ', null]}')::json, ('{"b": 1.10,  "a": [' || g || ', null]}')::jsonb,
  decode(md5(g::text), 'hex') FROM generate_series(1, 300) AS g
UNION ALL SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'zero', 0, 0, 0, 0, 0, 0, '', '', false, 'epoch', 'epoch',
  'epoch', '00000000-0000-0000-0000-000000000000', 'null', 'null', ''
UNION ALL SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'great', 2147483647, 32767, 2147483647, 9223372036854775807,
  9999999999.99, 123456789012345678901234567890.000000000000000000001, repeat('x', 5000), repeat('y', 40), true,
  '9999-12-31', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999+00', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '[1e400, "\u00e4"]', '[12345678901234567890.123, "\u00e4"]', '\x00ff00')";
}

std::string nullRow(const std::string& article) {
  return "('ffffffff-ffff-ffff-ffff-ffffffffffff', '" + article +
         "', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
}

class AwkwardNames : public ::testing::Test {
 protected:
  AwkwardNames() {
    world.profile["source"]["table"] = kSource;
    world.profile["sink"]["table"] = kSink;
    world.profile["sink"]["columns"] = {{"position", {"Stand \"wo\""}}, {"marker", "gelöscht?"}};
    world.answers = BackfillWorld::goodAnswers("lager.halle.BESTELLUNG neu");
    world.answers["11"]["sweep"] = kSink;
    const std::string key = ", PRIMARY KEY (" + kKey + "))";
    world.source(R"(CREATE SCHEMA "Straße & Co"; CREATE TABLE )" + kSource + " (" + columns(" NOT NULL DEFAULT 5") +
                 key + "; ALTER TABLE " + kSource + R"( ALTER "kleine Zahl" DROP NOT NULL; INSERT INTO )" + kSource +
                 " " + rows() + "; INSERT INTO " + kSource + " VALUES " + nullRow("all null") +
                 "; SELECT pg_create_logical_replication_slot('live', 'test_decoding')");
    world.sink(R"(CREATE SCHEMA "lager.halle"; CREATE TABLE )" + kSink + " (" + columns("") +
               R"(, "Stand ""wo""" bigint NOT NULL, "gelöscht?" boolean NOT NULL)" + key);
  }
  std::string liveRows(bool source) const {
    const std::string order = R"( ORDER BY "Kunde-Nr", "artikel'nummer" COLLATE "C", "n")";
    return source ? world.source("SELECT " + kColumns + " FROM " + kSource + order)
                  : world.sink("SELECT " + kColumns + " FROM " + kSink + R"( WHERE NOT "gelöscht?")" + order);
  }

  BackfillWorld world;
};

TEST_F(AwkwardNames, EveryTypeIsLoadedAppliedSweptAndVerified) {
  world.sink("INSERT INTO " + kSink + " SELECT r.*, 1000, false FROM (" + rows() + ") AS r (" + kColumns +
             R"() WHERE "n" % 3 = 0; INSERT INTO )" + kSink + " (" + kKey + R"(, "Stand ""wo""", "gelöscht?"))" +
             R"( VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff', 'gh''o"st', 1, 1000, false))");
  world.source("UPDATE " + kSource + R"sql( SET "Text" = "Text" || ' neu', beliebig = -beliebig / 3, ja = NOT ja,
    "genau 2,-" = -"genau 2,-" / 7, bytes = bytes || '\xff00', "zeit mit Zone" = "zeit mit Zone" + interval '0.000001 s',
    zeit = zeit - interval '400 years', "binär json" = jsonb_build_array("binär json", NULL), tag = tag - 1,
    "roh json" = '{ "roh" :  "ä\u0041" }', "wer?" = "Kunde-Nr", "kleine Zahl" = -"kleine Zahl" WHERE "n" % 5 = 0;
    DELETE FROM )sql" +
               kSource + R"sql( WHERE "n" % 50 = 49; INSERT INTO )sql" + kSource + " VALUES " + nullRow("new, null"));
  LiveFeed feed(world);
  expectAllStepsPassed(world.ctl({"run", "--json"}));
  feed.drainAndStop();
  EXPECT_EQ(feed.failures(), std::vector<std::string>{});
  const CommandResult verified = world.ctl({"verify", "--json"});
  EXPECT_EQ(differencesOf(verified), differences(0, 0, 0)) << verified.output;
  EXPECT_EQ(liveRows(true), liveRows(false));
  EXPECT_EQ(world.sink(R"(SELECT "artikel'nummer" FROM )" + kSink + R"( WHERE "gelöscht?" AND "n" = 1)"), "gh'o\"st\n");
}

/// A table with one key column, on both sides; the sink knows a third of it and one key that the source has not.
void expectRunOverKeys(const std::string& keyType, const std::string& keyOf, const std::string& ghost) {
  BackfillWorld world;
  world.profile["source"]["table"] = world.profile["sink"]["table"] = R"(public."Dinge")";
  world.answers["11"]["sweep"] = R"(public."Dinge")";
  world.answers["11"]["waive"]["sweep.cap"] = {{"reason", "a small table"}, {"second_person", "Sam"}};
  const std::string rows = "SELECT " + keyOf + ", g FROM generate_series(1, 60) AS g";
  world.source(R"(CREATE TABLE "Dinge" ("Schlüssel" )" + keyType + R"( PRIMARY KEY, wert int); INSERT INTO "Dinge" )" +
               rows + "; SELECT pg_create_logical_replication_slot('live', 'test_decoding')");
  world.sink(
      R"(CREATE TABLE "Dinge" ("Schlüssel" )" + keyType +
      R"( PRIMARY KEY, wert int, pos bigint NOT NULL, deleted boolean NOT NULL); INSERT INTO "Dinge" SELECT r.*, )" +
      "1000, false FROM (" + rows + R"() AS r (k, g) WHERE g % 3 = 0; INSERT INTO "Dinge" VALUES ()" + ghost +
      ", 0, 1000, false)");
  world.source(R"(UPDATE "Dinge" SET wert = -wert WHERE wert % 2 = 0; DELETE FROM "Dinge" WHERE wert % 20 = 19)");
  LiveFeed feed(world);
  expectAllStepsPassed(world.ctl({"run", "--json"}));
  feed.drainAndStop();
  const CommandResult verified = world.ctl({"verify", "--json"});
  EXPECT_EQ(differencesOf(verified), differences(0, 0, 0)) << verified.output;
  const std::string content = R"(SELECT "Schlüssel", wert FROM "Dinge")";
  EXPECT_EQ(world.source(content + " ORDER BY 1"), world.sink(content + " WHERE NOT deleted ORDER BY 1"));
  EXPECT_EQ(world.sink(R"(SELECT deleted FROM "Dinge" WHERE "Schlüssel" = )" + ghost), "t\n");
}

TEST(KeysOfOneColumn, Text) {
  expectRunOverKeys("text",
                    R"((ARRAY['', 'a', 'A', 'Ä', E'\t', E'\\', '''', '"', '汉', '🐘', ' ', '%'])[1 + g % 12] || g / 12)",
                    R"('"ghost" \.')");
}

TEST(KeysOfOneColumn, Uuid) {
  expectRunOverKeys("uuid", "md5(g::text)::uuid", "'FFFFFFFF-0000-0000-0000-00000000000A'");
}

}  // namespace
}  // namespace tidemark::test
