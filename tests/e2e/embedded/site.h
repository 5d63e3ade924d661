#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {

/// One connection to an SQLite file that shares nothing with the product's.
class SqliteView {
 public:
  explicit SqliteView(const std::filesystem::path& file);
  ~SqliteView();
  SqliteView(const SqliteView&) = delete;
  SqliteView& operator=(const SqliteView&) = delete;

  void execute(const std::string& sql);
  /// Every row, its columns joined by '|'; NULL is "NULL".
  std::vector<std::string> rows(const std::string& sql);
  /// The first column of the first row.
  std::string value(const std::string& sql);
  std::int64_t number(const std::string& sql) { return std::stoll(value(sql)); }

 private:
  std::string m_name;
};

/// Holds an SQLite file's write lock as long as it lives: whoever wants to write stands still.
class WriteLock {
 public:
  explicit WriteLock(const std::filesystem::path& file);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  SqliteView m_view;
};

/// One entry of a run's journal, read from beside.
struct JournalLine {
  std::string kind;
  nlohmann::json payload;
  int step() const { return payload.value("step", 0); }
  std::string id() const { return payload.value("id", std::string()); }
};

/// A folder with an embedded source and sink, a profile and answers for them, and a place for runs. The world is made
/// once a program for each number of rows, and copied.
class Site {
  TemporaryFolder m_folder;  ///< First: what follows is made in it.

 public:
  explicit Site(std::int64_t rows = 2500);

  std::filesystem::path folder() const { return m_folder.path(); }
  std::filesystem::path world() const { return folder() / "world"; }
  std::filesystem::path sink() const { return world() / "sink.db"; }
  std::filesystem::path runs() const { return folder() / "runs"; }

  nlohmann::json profile;  ///< Written before each start.
  nlohmann::json answers;  ///< Likewise: what takes a run to its end.

  /// A file of this folder with this content; its path.
  std::string file(const std::string& name, const std::string& content) const;
  std::string profileFile() const { return (folder() / "profile.json").string(); }

  std::unique_ptr<ChildProcess> start(std::vector<std::string> arguments, const ChildOptions& options = {}) const;
  ChildEnd run(std::vector<std::string> arguments, const ChildOptions& options = {}) const;

  std::vector<std::string> runArguments() const;
  std::vector<std::string> resumeArguments(const std::string& run) const;
  /// Arguments of a command that wants --profile, with --json.
  std::vector<std::string> profiled(const std::string& command, std::vector<std::string> more = {}) const;

  /// The only run there is.
  std::string onlyRun() const;
  std::filesystem::path journal(const std::string& run) const { return runs() / run / "journal.sqlite"; }
  std::vector<JournalLine> journalLines(const std::string& run) const;
  /// True when the last entry of an effect of this step and action is its announcement.
  bool inTheMiddleOf(const std::string& run, int step, const std::string& action) const;
};

/// The program under test.
std::filesystem::path tidemarkctl();

/// The answer "go on" to what was interrupted, for every step.
void answerResume(nlohmann::json& answers);
/// Polls until `condition` holds; false when the child ended, or a minute passed, before.
bool poll(ChildProcess& child, const std::function<bool()>& condition);

/// Parses a child's standard output as one JSON document; null, with a failed expectation, when it is not one.
nlohmann::json document(const ChildEnd& end);
/// Expects this exit code, and shows what was printed when it is another.
void expectCode(const ChildEnd& end, int code);
/// "missing 1, stale 2, ghost 3" of such an object.
std::string differences(const nlohmann::json& object);

}  // namespace tidemark::test
