#include "tests/e2e/embedded/site.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QVariant>
#include <gtest/gtest.h>

#include "engine/simulator/demo_world.h"

namespace tidemark::test {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookAgain{1};
constexpr std::chrono::minutes kStuck{1};

std::string newConnectionName() {
  static std::atomic<int> next{0};
  return "view-" + std::to_string(next++);
}

QSqlQuery executed(const std::string& connection, const std::string& sql) {
  QSqlQuery query(QSqlDatabase::database(QString::fromStdString(connection), false));
  query.setForwardOnly(true);
  if (!query.exec(QString::fromStdString(sql))) {
    throw std::runtime_error(query.lastError().text().toStdString() + ": " + sql);
  }
  return query;
}

std::string text(const QVariant& value) {
  return value.isNull() ? "NULL" : value.toString().toStdString();
}

/// The world that every site with so many rows begins with.
const fs::path& madeWorld(std::int64_t rows) {
  static std::map<std::int64_t, std::unique_ptr<TemporaryFolder>> made;
  auto& folder = made[rows];
  if (!folder) {
    folder = std::make_unique<TemporaryFolder>();
    DemoOptions options;
    options.rows = rows;
    DemoWorld::open(folder->path(), options).reset();
  }
  return folder->path();
}

json demoLikeProfile(const fs::path& world) {
  return {{"name", "embedded"},
          {"environment", "test"},
          {"source", {{"system", "simulator"}, {"file", world.string()}, {"table", "orders"}}},
          {"sink",
           {{"system", "sqlite"},
            {"file", (world / "sink.db").string()},
            {"table", "orders"},
            {"columns", {{"position", {"source_lsn"}}, {"marker", "is_deleted"}}}}},
          {"position_scheme", "lsn"}};
}

json fullAnswers() {
  return {{"arm", true},
          {"1", {{"reason", "events_lost"}}},
          {"3", {{"accepted_by", "A. Operator"}}},
          {"5", {{"way", "sql_reload"}}},
          {"6", {{"method", "wait"}}},
          {"7", {{"accepted_by", "A. Operator"}}},
          {"8", {{"who_may_pause", "on call"}}},
          {"11",
           {{"sweep", "orders"},
            {"waive", {{"sweep.cap", {{"reason", "they were seeded"}, {"second_person", "B. Second"}}}}}}},
          {"14", {{"accepted_by", "A. Operator"}}},
          {"15", {{"signed_by", "A. Operator"}}}};
}

}  // namespace

SqliteView::SqliteView(const fs::path& file) : m_name(newConnectionName()) {
  QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", QString::fromStdString(m_name));
  database.setDatabaseName(QString::fromStdString(file.string()));
  database.setConnectOptions("QSQLITE_BUSY_TIMEOUT=20000");
  if (!database.open()) throw std::runtime_error(database.lastError().text().toStdString());
}

SqliteView::~SqliteView() {
  QSqlDatabase::database(QString::fromStdString(m_name), false).close();
  QSqlDatabase::removeDatabase(QString::fromStdString(m_name));
}

void SqliteView::execute(const std::string& sql) {
  executed(m_name, sql);
}

std::vector<std::string> SqliteView::rows(const std::string& sql) {
  QSqlQuery query = executed(m_name, sql);
  const int columns = query.record().count();
  std::vector<std::string> result;
  while (query.next()) {
    std::string row;
    for (int i = 0; i < columns; ++i) row += (i == 0 ? "" : "|") + text(query.value(i));
    result.push_back(row);
  }
  return result;
}

std::string SqliteView::value(const std::string& sql) {
  QSqlQuery query = executed(m_name, sql);
  if (!query.next()) throw std::runtime_error("no row: " + sql);
  return text(query.value(0));
}

WriteLock::WriteLock(const fs::path& file) : m_view(file) {
  m_view.execute("BEGIN IMMEDIATE");
}

WriteLock::~WriteLock() {
  m_view.execute("ROLLBACK");
}

Site::Site(std::int64_t rows) : profile(demoLikeProfile(world())), answers(fullAnswers()) {
  fs::copy(madeWorld(rows), world(), fs::copy_options::recursive);
}

std::string Site::file(const std::string& name, const std::string& content) const {
  const fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

std::unique_ptr<ChildProcess> Site::start(std::vector<std::string> arguments, const ChildOptions& options) const {
  file("profile.json", profile.dump(2));
  file("answers.json", answers.dump(2));
  return std::make_unique<ChildProcess>(tidemarkctl(), arguments, options);
}

ChildEnd Site::run(std::vector<std::string> arguments, const ChildOptions& options) const {
  return start(std::move(arguments), options)->wait();
}

std::vector<std::string> Site::runArguments() const {
  return {"run",    "--profile",     profileFile(), "--answers", (folder() / "answers.json").string(),
          "--runs", runs().string(), "--json"};
}

std::vector<std::string> Site::resumeArguments(const std::string& run) const {
  return {"resume", run, "--answers", (folder() / "answers.json").string(), "--runs", runs().string(), "--json"};
}

std::vector<std::string> Site::profiled(const std::string& command, std::vector<std::string> more) const {
  std::vector<std::string> arguments{command, "--profile", profileFile(), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string Site::onlyRun() const {
  std::vector<std::string> names;
  if (fs::exists(runs())) {
    for (const auto& entry : fs::directory_iterator(runs())) names.push_back(entry.path().filename().string());
  }
  if (names.size() != 1) throw std::runtime_error(std::to_string(names.size()) + " runs where one was expected");
  return names.front();
}

std::vector<JournalLine> Site::journalLines(const std::string& run) const {
  std::vector<JournalLine> lines;
  SqliteView view(journal(run));
  for (const std::string& row : view.rows("SELECT kind, payload FROM entry ORDER BY sequence")) {
    const std::size_t bar = row.find('|');
    lines.push_back({row.substr(0, bar), json::parse(row.substr(bar + 1))});
  }
  return lines;
}

bool Site::inTheMiddleOf(const std::string& run, int step, const std::string& action) const {
  bool middle = false;
  for (const JournalLine& line : journalLines(run)) {
    if (line.kind == "effect_announced") middle = line.step() == step && line.id() == action;
    if (line.kind == "effect_finished") middle = false;
  }
  return middle;
}

fs::path tidemarkctl() {
  return fs::path(TIDEMARK_BINARY_DIR) / "app/ctl/tidemarkctl";
}

void answerResume(json& answers) {
  for (int step = 1; step <= 15; ++step) answers[std::to_string(step)]["resume"] = "continue";
}

bool poll(ChildProcess& child, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kStuck;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    if (!child.running()) return condition();
    std::this_thread::sleep_for(kLookAgain);
  }
  return false;
}

json document(const ChildEnd& end) {
  json parsed = json::parse(end.output, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << "standard output is no JSON document:\n" << end.output << "\n" << end.error;
  return parsed.is_discarded() ? json() : parsed;
}

void expectCode(const ChildEnd& end, int code) {
  EXPECT_EQ(end.signal, 0) << end.error;
  EXPECT_EQ(end.code, code) << end.output << "\n" << end.error;
}

std::string differences(const json& object) {
  return "missing " + object.at("missing").dump() + ", stale " + object.at("stale").dump() + ", ghost " +
         object.at("ghost").dump();
}

}  // namespace tidemark::test
