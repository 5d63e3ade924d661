#include "runbook/profile.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"

namespace tidemark::test {

using namespace runbook;
using nlohmann::json;

namespace {

json valid() {
  return json::parse(R"({
    "name": "orders", "environment": "production", "position_scheme": "lsn",
    "source": {"system": "postgresql", "connection": "service=shop", "table": "public.orders", "slot": "s"},
    "sink": {"system": "postgresql", "connection": "host=w dbname=d user=u", "table": "landing.orders",
             "columns": {"position": ["source_lsn"], "marker": "is_deleted", "fillers": {"status": "?"},
                         "map": {"name": "title"}}},
    "limits": {"batch_rows": 500, "sweep_cap_permille": 20}})");
}

struct Refusal {
  std::string code;
  std::string message;
  std::string hint;
};

Refusal refusalOf(const std::string& text) {
  try {
    parseProfile(text);
    return {"accepted", {}, {}};
  } catch (const Error& problem) {
    return {problem.code(), problem.what(), problem.detail().hint};
  }
}

void expectRefused(const json& profile, const std::string& code, const std::string& named) {
  const Refusal refusal = refusalOf(profile.dump());
  EXPECT_EQ(refusal.code, code) << refusal.message;
  EXPECT_NE(refusal.message.find(named), std::string::npos) << refusal.message;
  EXPECT_NE(refusal.hint, "") << refusal.message;
}

TEST(ProfileTest, ReadsEveryField) {
  const Profile profile = parseProfile(valid().dump());
  EXPECT_TRUE(profile.production());
  EXPECT_EQ(profile.source.slot, "s");
  EXPECT_EQ(profile.sink.positionColumns, std::vector<std::string>{"source_lsn"});
  EXPECT_EQ(profile.sink.fillers.at("status"), "?");
  EXPECT_EQ(profile.sink.columnMap.at("name"), "title");
  EXPECT_EQ(profile.limits.batchRows, 500u);
  EXPECT_EQ(profile.limits.sweepCapPermille, 20u);
  EXPECT_EQ(profile.limits.canaryKeys, 5u);
}

TEST(ProfileTest, WrittenProfileReadsBackTheSame) {
  const std::string text = writeProfile(parseProfile(valid().dump()));
  EXPECT_EQ(writeProfile(parseProfile(text)), text);
}

TEST(ProfileTest, SamplesAreValid) {
  const std::filesystem::path folder = std::filesystem::path(TIDEMARK_SOURCE_DIR) / "resources" / "profiles";
  EXPECT_EQ(loadProfile(folder / "postgresql.json").source.system, "postgresql");
  EXPECT_EQ(loadProfile(folder / "demo.json").sink.system, "sqlite");
}

TEST(ProfileTest, UnknownFieldIsNamedWithItsPath) {
  json profile = valid();
  profile["sink"]["columns"]["markers"] = "x";
  expectRefused(profile, "profile.unknown_field", "sink.columns.markers");
  profile = valid();
  profile["kafka"] = json::object();
  expectRefused(profile, "profile.unknown_field", "kafka");
}

TEST(ProfileTest, MissingFieldIsNamed) {
  for (const char* field : {"name", "environment", "sink"}) {
    json profile = valid();
    profile.erase(field);
    expectRefused(profile, "profile.missing_field", field);
  }
  json profile = valid();
  profile["sink"]["columns"].erase("marker");
  expectRefused(profile, "profile.missing_field", "sink.columns.marker");
}

TEST(ProfileTest, MayNameASinkAloneAndSaysSoWhereASourceIsNeeded) {
  json alone = valid();
  alone.erase("source");
  const Profile profile = parseProfile(alone.dump());
  EXPECT_FALSE(profile.hasSource());
  EXPECT_EQ(writeProfile(parseProfile(writeProfile(profile))), writeProfile(profile));
  try {
    requireSource(profile);
    FAIL() << "a profile without a source was taken for one with it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "profile.no_source");
    EXPECT_FALSE(error.detail().hint.empty());
  }
}

TEST(ProfileTest, PasswordIsRefusedAndNeverRepeated) {
  for (const char* connection : {"host=h password=hunter2", "host=h PASSWORD = 'hunter2'", "postgresql://u:hunter2@h/d",
                                 "postgresql://h/d?password=hunter2", "host=h sslpassword=hunter2"}) {
    json profile = valid();
    profile["source"]["connection"] = connection;
    const Refusal refusal = refusalOf(profile.dump());
    EXPECT_EQ(refusal.code, "profile.password") << connection;
    EXPECT_NE(refusal.hint.find(".pgpass"), std::string::npos);
    EXPECT_EQ((refusal.message + refusal.hint).find("hunter2"), std::string::npos);
  }
  for (const char* connection : {"service=shop", "host=h passfile=/home/me/.pgpass", "postgresql://u@h:5432/d"}) {
    EXPECT_FALSE(holdsPassword(connection)) << connection;
  }
}

TEST(ProfileTest, WrongValuesNameFieldAndWhatIsAllowed) {
  json profile = valid();
  profile["limits"]["batch_rows"] = 0;
  expectRefused(profile, "profile.field", "limits.batch_rows");
  profile["limits"]["batch_rows"] = 1.5;
  expectRefused(profile, "profile.field", "limits.batch_rows");
  profile["limits"]["batch_rows"] = 18446744073709551615u;
  expectRefused(profile, "profile.field", "limits.batch_rows");
  profile = valid();
  profile["source"]["system"] = "oracle";
  expectRefused(profile, "profile.field", "source.system");
  profile = valid();
  profile["position_scheme"] = "timestamp";
  expectRefused(profile, "profile.field", "position_scheme");
  profile["position_scheme"] = "commit-lsn";
  expectRefused(profile, "profile.field", "sink.columns.position");
}

TEST(ProfileTest, BrokenJsonIsNamedByLine) {
  const Refusal refusal = refusalOf("{\n\"name\": \"x\",\n oops }");
  EXPECT_EQ(refusal.code, "profile.json");
  EXPECT_NE(refusal.message.find("line 3"), std::string::npos) << refusal.message;
}

TEST(ProfileTest, FileThatIsNotThereIsNamed) {
  try {
    loadProfile("/nowhere/profile.json");
    FAIL();
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "profile.file");
    EXPECT_NE(std::string(problem.what()).find("/nowhere/profile.json"), std::string::npos);
  }
}

TableShape shape(const std::string& name, const std::vector<std::string>& columns, std::vector<std::size_t> key) {
  TableShape table;
  table.name.name = name;
  for (const std::string& each : columns) table.columns.push_back({each, {}, true});
  table.key = std::move(key);
  return table;
}

TEST(MappingTest, KeyFollowsTheSourceAndPayloadWhatBothHave) {
  const Profile profile = parseProfile(valid().dump());
  const TableMapping mapping =
      buildMapping(profile, shape("orders", {"name", "b", "status", "a", "extra"}, {3, 1}),
                   shape("orders", {"a", "b", "title", "status", "source_lsn", "is_deleted"}, {0, 1}));
  ASSERT_EQ(mapping.key.size(), 2u);
  EXPECT_EQ(mapping.key[0].source, "a");
  EXPECT_EQ(mapping.key[1].source, "b");
  ASSERT_EQ(mapping.payload.size(), 2u);
  EXPECT_EQ(mapping.payload[0].sink, "title");
  EXPECT_EQ(mapping.payload[1].sink, "status");
}

TEST(MappingTest, ColumnThatIsMissingIsNamed) {
  const Profile profile = parseProfile(valid().dump());
  try {
    buildMapping(profile, shape("orders", {"id", "name"}, {0}),
                 shape("orders", {"id", "title", "status", "is_deleted"}, {0}));
    FAIL();
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "mapping.column");
    EXPECT_NE(std::string(problem.what()).find("source_lsn"), std::string::npos);
  }
}

TEST(MappingTest, SourceWithoutPrimaryKeyIsRefused) {
  const Profile profile = parseProfile(valid().dump());
  try {
    buildMapping(profile, shape("orders", {"id", "name"}, {}),
                 shape("orders", {"id", "title", "status", "source_lsn", "is_deleted"}, {0}));
    FAIL();
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "mapping.no_key");
  }
}

}  // namespace
}  // namespace tidemark::test
