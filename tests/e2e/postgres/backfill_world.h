#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/stack/command.h"
#include "tests/stack/postgres_server.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {

/// Asks again until it is so; fails with `what` after two minutes. True when it came true.
bool eventually(const std::string& what, const std::function<bool()>& isSo);

enum class Servers { One, Two };

/// A source and a sink database, on one PostgreSQL server or on one each, and everything that tidemarkctl needs to put
/// the history of one into the other. A test changes profile and answers before it starts a command.
class BackfillWorld {
 public:
  explicit BackfillWorld(std::map<std::string, std::string> settings = {}, Servers servers = Servers::One);

  /// The fixtures' table `orders` on both sides, `rows` equal rows in each, all of them at position 1000. One row in a
  /// thousand has a note that is stored out of line. The slot "live" is made behind the source's rows.
  void makeOrders(std::uint64_t rows, const std::string& scheme = "lsn");

  /// Takes `each` rows away from the sink, makes `each` stale and adds `each` that the source does not have. Missing
  /// are keys divisible by rows / each, among them all whose note is out of line; ghosts follow 100 keys behind the
  /// rows.
  void loseRows(std::uint64_t rows, std::uint64_t each);
  /// Both sides have been equal since nothing moves any more: verified twice, and compared without the product; the
  /// sweep has marked exactly the ghosts of loseRows().
  void expectMended(std::uint64_t rows, std::uint64_t each);

  PostgresServer& sinkServer() { return m_sinkServer ? *m_sinkServer : server; }
  const PostgresServer& sinkServer() const { return m_sinkServer ? *m_sinkServer : server; }
  std::string source(const std::string& statements) const { return server.sql(statements, "shop"); }
  std::string sink(const std::string& statements) const { return sinkServer().sql(statements, "warehouse"); }
  std::string sinkConnection() const { return sinkServer().connection("warehouse"); }

  static std::string program();
  /// Runs tidemarkctl to its end with --profile (and --runs, --answers where the command takes them).
  CommandResult ctl(const std::vector<std::string>& arguments, const std::string& input = {});
  std::unique_ptr<ChildProcess> startCtl(const std::vector<std::string>& arguments,
                                         std::map<std::string, std::string> environment = {});
  /// Answers that take a run through all fifteen steps; what a test adds or takes out is its point.
  static nlohmann::json goodAnswers(const std::string& sinkTable = "public.orders");

  /// Id of the only run, or of the newest.
  std::string runId();
  /// The sides held against each other without the product: md5 of the live rows' text in buckets of the key.
  void expectOrdersEqual() const;

  PostgresServer server;  ///< Of the source.
  TemporaryFolder folder;
  nlohmann::json profile;
  nlohmann::json answers = goodAnswers();

 private:
  std::unique_ptr<PostgresServer> m_sinkServer;
  std::vector<std::string> commandLine(const std::vector<std::string>& arguments);
};

/// Result of a run's --json: every step passed. Prints what the command said otherwise.
void expectAllStepsPassed(const CommandResult& run);
nlohmann::json resultOf(const CommandResult& command);
/// The counts of `verify --json`, without the keys.
nlohmann::json differencesOf(const CommandResult& verify);
nlohmann::json differences(std::uint64_t missing, std::uint64_t stale, std::uint64_t ghosts);
/// Waits until a command has said `words` on standard error; false when it ended without.
bool said(ChildProcess& command, const std::string& words);
CommandResult resultOf(ChildProcess& command);

}  // namespace tidemark::test
