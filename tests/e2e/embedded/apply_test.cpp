#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "tests/e2e/embedded/sides.h"
#include "tests/support/recorded_events.h"

namespace tidemark::test {
namespace {

using nlohmann::json;

const std::string kUnavailable = "__debezium_unavailable_value";

struct Table {
  std::string name;
  std::vector<std::string> key;
  std::string columns;  ///< Declarations of key and payload, and the primary key.
};

const Table kOrders{"orders",
                    {"id"},
                    "id BIGINT NOT NULL, customer TEXT, status TEXT, total NUMERIC TEXT(12,2), note TEXT, "
                    "updated_at TIMESTAMPTZ TEXT, PRIMARY KEY (id)"};
const Table kLines{"lines",
                   {"order_id", "sku"},
                   "order_id BIGINT NOT NULL, sku TEXT NOT NULL, qty INTEGER, PRIMARY KEY (order_id, sku)"};
const Table kDevices{"devices", {"id"}, "id UUID TEXT NOT NULL, label TEXT, PRIMARY KEY (id)"};

std::string createTable(const Table& table, const std::string& scheme,
                        const std::string& positionType = "BIGINT NOT NULL") {
  const std::size_t keyAt = table.columns.find(", PRIMARY KEY");
  const std::string positions = scheme == "lsn" ? ", position_1 " + positionType
                                                : ", position_1 " + positionType + ", position_2 " + positionType;
  return "CREATE TABLE " + table.name + " (" + table.columns.substr(0, keyAt) + positions +
         ", deleted BOOLEAN NOT NULL" + table.columns.substr(keyAt) + ")";
}

/// An empty SQLite sink of its own, with a profile that names it and, unless it is asked for, no source.
class SinkAlone {
 public:
  SinkAlone(const Table& table, const std::string& scheme, const std::string& positionType = "BIGINT NOT NULL")
      : m_table(table) {
    SqliteView(file()).execute("PRAGMA journal_mode = WAL");
    SqliteView(file()).execute(createTable(table, scheme, positionType));
    profile = {{"name", "events"},
               {"environment", "test"},
               {"sink",
                {{"system", "sqlite"},
                 {"file", file().string()},
                 {"table", table.name},
                 {"columns", {{"position", {"position_1"}}, {"marker", "deleted"}}}}},
               {"position_scheme", scheme}};
    if (scheme == "commit-lsn") profile["sink"]["columns"]["position"] = {"position_1", "position_2"};
  }

  json profile;

  std::filesystem::path file() const { return m_folder / "events.db"; }
  std::string write(const std::string& name, const std::string& content) const {
    const auto path = m_folder / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  ChildEnd apply(const std::string& events, std::vector<std::string> more = {}, const std::string& input = {}) const {
    write("profile.json", profile.dump());
    std::vector<std::string> arguments{"apply",  "--profile", (m_folder / "profile.json").string(),
                                       "--json", "--from",    input.empty() ? write("events.jsonl", events) : "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ChildOptions options;
    options.input = input;
    return ChildProcess(tidemarkctl(), arguments, options).wait();
  }
  std::vector<std::string> rows() const {
    std::string order;
    for (const std::string& each : m_table.key) order += (order.empty() ? "" : ", ") + each;
    return SqliteView(file()).rows("SELECT * FROM " + m_table.name + " ORDER BY " + order);
  }

 private:
  TemporaryFolder m_folder;
  Table m_table;
};

std::vector<json> recordedLines(const std::string& name) {
  std::ifstream file(recordedPath(name + ".jsonl"));
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

std::string joined(const std::vector<json>& lines) {
  std::string text;
  for (const json& line : lines) text += line.dump() + "\n";
  return text;
}

std::vector<json> withSchemas(std::vector<json> lines, const std::string& name) {
  const RecordedSchemas schemas = recordedSchemas(name);
  for (json& line : lines) {
    line["key"] = {{"schema", json::parse(schemas.key)}, {"payload", line["key"]}};
    if (!line["value"].is_null()) line["value"] = {{"schema", json::parse(schemas.value)}, {"payload", line["value"]}};
  }
  return lines;
}

/// What a partition's order says: the last change of each key, in which a column that was left out is as before; a read
/// counts only where no change was. The one column alone.
std::map<std::string, json> lastValues(const std::vector<json>& lines, const std::string& column) {
  std::map<std::string, json> values;
  std::map<std::string, bool> changed;
  for (const json& line : lines) {
    if (line.at("value").is_null()) continue;
    const std::string key = line.at("key").dump();
    const json& value = line.at("value");
    const bool read = value.at("op") == "r";
    if (read && values.contains(key)) continue;
    if (!read) changed[key] = true;
    const json& after = value.at("after");
    if (after.is_null()) {
      values[key] = json();
    } else if (after.at(column) != kUnavailable) {
      values[key] = after.at(column);
    }
  }
  return values;
}

void expectLastValues(const SinkAlone& sink, const Table& table, const std::vector<json>& lines,
                      const std::string& column) {
  SqliteView view(sink.file());
  for (const auto& [key, value] : lastValues(lines, column)) {
    std::string where = "deleted = 0";
    const json parts = json::parse(key);
    for (const std::string& name : table.key) {
      const json& part = parts.at(name);
      where += " AND " + name + " = " + (part.is_string() ? "'" + part.get<std::string>() + "'" : part.dump());
    }
    const auto found = view.rows("SELECT " + column + " FROM " + table.name + " WHERE " + where);
    if (value.is_null()) {
      EXPECT_TRUE(found.empty()) << key;
    } else {
      ASSERT_EQ(found.size(), 1U) << key;
      EXPECT_EQ(found.front(), value.is_string() ? value.get<std::string>() : value.dump()) << key;
    }
  }
}

struct Recording {
  std::string file;
  const Table& table;
  std::string column;
};

TEST(ApplyRecordings, EndWithTheLastChangeOfEveryKeyBareAndWithSchemas) {
  const std::vector<Recording> recordings{
      {"orders", kOrders, "status"}, {"lines", kLines, "qty"}, {"devices", kDevices, "label"}};
  for (const Recording& each : recordings) {
    const auto lines = recordedLines(each.file);
    SinkAlone bare(each.table, "lsn");
    const ChildEnd end = bare.apply(joined(lines));
    expectCode(end, 0);
    EXPECT_EQ(document(end).at("lines"), lines.size());
    EXPECT_EQ(document(end).at("complete"), true);
    expectLastValues(bare, each.table, lines, each.column);

    SinkAlone wrapped(each.table, "lsn");
    expectCode(wrapped.apply(joined(withSchemas(lines, each.file)), {"--batch", "7"}), 0);
    EXPECT_EQ(wrapped.rows(), bare.rows()) << each.file;

    const auto before = bare.rows();
    const ChildEnd again = bare.apply(joined(lines), {"--batch", "1"});
    expectCode(again, 0);
    const json counts = document(again).at("counts");
    EXPECT_EQ(
        counts.at("inserted").get<int>() + counts.at("updated").get<int>() + counts.at("marked_deleted").get<int>(), 0)
        << each.file;
    EXPECT_EQ(bare.rows(), before) << each.file;
  }
}

TEST(ApplyRecordings, EveryCaseEndsRightUnderBothSchemes) {
  std::ifstream file(recordedPath("cases.json"));
  const json cases = json::parse(file).at("cases");
  ASSERT_EQ(cases.size(), 6U);
  for (const json& one : cases) {
    auto lines = recordedLines(one.at("file"));
    std::erase_if(lines, [&](const json& line) { return line.at("offset") > one.at("until_offset"); });
    for (const std::string scheme : {"lsn", "commit-lsn"}) {
      SinkAlone sink(kOrders, scheme);
      expectCode(sink.apply(joined(lines), {"--batch", "5"}), 0);
      SqliteView view(sink.file());
      for (const auto& [key, expected] : one.at("expect").items()) {
        const auto found = view.rows("SELECT " + one.at("column").get<std::string>() +
                                     " FROM orders WHERE deleted = 0 AND id = " + key);
        const std::vector<std::string> wanted =
            expected.is_null() ? std::vector<std::string>() : std::vector{expected.get<std::string>()};
        EXPECT_EQ(found, wanted) << one.at("name") << ", " << scheme << ", key " << key;
      }
    }
  }
}

json event(const std::string& operation, std::int64_t id, std::int64_t lsn, const std::string& note,
           const std::string& status = "paid") {
  const json row{{"id", id},        {"customer", "c"}, {"status", status},
                 {"total", "1.00"}, {"note", note},    {"updated_at", "2026-01-01T00:00:00Z"}};
  return {{"key", {{"id", id}}},
          {"value",
           {{"before", nullptr},
            {"after", operation == "d" ? json() : row},
            {"op", operation},
            {"ts_ms", 1},
            {"source",
             {{"connector", "postgresql"},
              {"name", "t"},
              {"db", "shop"},
              {"schema", "public"},
              {"table", "orders"},
              {"snapshot", "false"},
              {"lsn", lsn},
              {"sequence", "[null,\"" + std::to_string(lsn) + "\"]"},
              {"txId", lsn},
              {"ts_ms", 1}}}}}};
}

std::string noteOf(const SinkAlone& sink, std::int64_t id) {
  return SqliteView(sink.file()).value("SELECT note FROM orders WHERE id = " + std::to_string(id));
}

TEST(ApplyLeftOut, TakesTheValueOfTheChangeBeforeItInTheBatch) {
  SinkAlone sink(kOrders, "lsn");
  expectCode(sink.apply(joined({event("c", 7, 100, "long note"), event("u", 7, 200, kUnavailable, "sent")})), 0);
  EXPECT_EQ(noteOf(sink, 7), "long note");
  EXPECT_EQ(SqliteView(sink.file()).value("SELECT status FROM orders WHERE id = 7"), "sent");
}

TEST(ApplyLeftOut, KeepsTheValueOfTheStoredRow) {
  SinkAlone sink(kOrders, "lsn");
  expectCode(
      sink.apply(joined({event("c", 7, 100, "long note"), event("u", 7, 200, kUnavailable, "sent")}), {"--batch", "1"}),
      0);
  EXPECT_EQ(noteOf(sink, 7), "long note");
  expectCode(sink.apply(joined({event("u", 7, 300, kUnavailable, "back")})), 0);
  EXPECT_EQ(noteOf(sink, 7), "long note");
  EXPECT_EQ(SqliteView(sink.file()).value("SELECT status FROM orders WHERE id = 7"), "back");
}

TEST(ApplyLeftOut, WithoutASourceTheKeyStaysListedAndTheExitCodeSaysSo) {
  SinkAlone sink(kOrders, "lsn");
  const ChildEnd end = sink.apply(joined({event("u", 7, 200, kUnavailable)}));
  expectCode(end, 4);
  EXPECT_EQ(document(end).at("counts").at("incomplete"), 1);
  EXPECT_EQ(document(end).at("keys_to_read"), json::array({json::array({"7"})}));
  EXPECT_NE(end.error.find("read again"), std::string::npos);
  EXPECT_EQ(SqliteView(sink.file()).number("SELECT count(*) FROM orders WHERE note LIKE '%unavailable%'"), 0);
}

TEST(ApplyLeftOut, WithASourceWhatCannotBeKnownIsReadAgain) {
  const Site site;
  SqliteView source(site.world() / "source" / "source.db");
  const auto untouched = seededKeys(site).stale;
  std::int64_t key = 0;
  for (const std::int64_t each : untouched) {
    if (source.value("SELECT note IS NOT NULL FROM orders WHERE id = " + std::to_string(each)) == "1") key = each;
  }
  ASSERT_NE(key, 0);
  const std::string note = source.value("SELECT note FROM orders WHERE id = " + std::to_string(key));
  SinkAlone sink(kOrders, "lsn");
  sink.profile["source"] = site.profile["source"];
  const std::string events = joined({event("u", key, 1, kUnavailable, "old")});

  const ChildEnd left = sink.apply(events, {"--leave-keys"});
  expectCode(left, 4);
  EXPECT_EQ(document(left).at("keys_to_read").size(), 1U);

  const ChildEnd read = sink.apply(events);
  expectCode(read, 0);
  EXPECT_EQ(document(read).at("read_again"), 1);
  EXPECT_TRUE(document(read).at("keys_to_read").empty());
  EXPECT_EQ(noteOf(sink, key), note);
  EXPECT_EQ(SqliteView(sink.file()).value("SELECT status FROM orders WHERE id = " + std::to_string(key)), "corrected");
}

TEST(ApplyRefuses, ALineThatIsCutOffAndSaysWhatWasCommitted) {
  auto lines = recordedLines("orders");
  lines.resize(21);
  std::string text = joined(lines);
  text.resize(text.size() - 100);
  SinkAlone sink(kOrders, "lsn");
  const ChildEnd end = sink.apply(text, {"--batch", "8"});
  expectCode(end, 1);
  const json result = document(end);
  EXPECT_EQ(result.at("error").at("code"), "lines.cut_off");
  EXPECT_NE(result.at("error").at("message").get<std::string>().find("Line 21"), std::string::npos);
  EXPECT_EQ(result.at("committed_line"), 20);
  EXPECT_EQ(result.at("complete"), false);
  EXPECT_NE(end.error.find("committed up to line 20"), std::string::npos) << end.error;
  EXPECT_FALSE(sink.rows().empty());
}

TEST(ApplyRefuses, ATruncateAndAsks) {
  auto lines = recordedLines("orders");
  lines.resize(6);
  lines[5]["key"] = nullptr;
  lines[5]["value"]["op"] = "t";
  lines[5]["value"]["after"] = nullptr;
  SinkAlone sink(kOrders, "lsn");
  const ChildEnd end = sink.apply(joined(lines));
  expectCode(end, 1);
  const json error = document(end).at("error");
  EXPECT_EQ(error.at("code"), "apply.truncate");
  EXPECT_NE(error.at("message").get<std::string>().find("line 6"), std::string::npos);
  EXPECT_FALSE(error.at("hint").get<std::string>().empty());
  EXPECT_EQ(document(end).at("committed_line"), 5);
  EXPECT_EQ(sink.rows().size(), 5U);
}

TEST(ApplyRefuses, ASinkThatCannotHoldTheGuard) {
  SinkAlone sink(kOrders, "lsn", "BIGINT");
  const ChildEnd end = sink.apply(joined({event("c", 7, 100, "note")}));
  expectCode(end, 3);
  const json error = document(end).at("error");
  EXPECT_EQ(error.at("code"), "apply.sink_unfit");
  EXPECT_NE(error.at("message").get<std::string>().find("position_1 accepts NULL"), std::string::npos) << error;
  EXPECT_TRUE(sink.rows().empty());
}

TEST(ApplyRefuses, AnEventThatDoesNotFitTheColumnsAndNamesLineAndColumn) {
  SinkAlone sink(kOrders, "lsn");
  json wrong = event("c", 7, 100, "note");
  wrong["value"]["after"]["total"] = true;
  const ChildEnd end = sink.apply(joined({event("c", 6, 90, "note"), wrong}));
  expectCode(end, 1);
  const std::string message = document(end).at("error").at("message");
  EXPECT_NE(message.find("line 2"), std::string::npos) << message;
  EXPECT_NE(message.find("total"), std::string::npos) << message;
  EXPECT_EQ(sink.rows().size(), 1U);
}

TEST(Apply, ReadsStandardInput) {
  SinkAlone sink(kOrders, "lsn");
  expectCode(sink.apply({}, {}, joined({event("c", 7, 100, "note")})), 0);
  EXPECT_EQ(noteOf(sink, 7), "note");
}

TEST(Apply, FollowsTheNamesThatTheProfileMaps) {
  SinkAlone sink(
      {"orders", {"order_number"}, "order_number BIGINT NOT NULL, state TEXT, note TEXT, PRIMARY KEY (order_number)"},
      "lsn");
  sink.profile["sink"]["columns"]["map"] = {{"id", "order_number"}, {"status", "state"}};
  expectCode(sink.apply(joined({event("c", 7, 100, "n", "new"), event("u", 7, 200, "n", "paid")})), 0);
  EXPECT_EQ(sink.rows(), std::vector<std::string>{"7|paid|n|200|0"});
}

}  // namespace
}  // namespace tidemark::test
