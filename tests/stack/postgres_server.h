#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tidemark::test {

/// A real PostgreSQL server on a free port in a temporary folder, started as an unprivileged user when the tests run
/// as root, stopped and removed by the destructor. Settings go to postgresql.conf; wal_level is logical, fsync is on
/// unless set otherwise.
class PostgresServer {
 public:
  explicit PostgresServer(std::map<std::string, std::string> settings = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// libpq connection string of the superuser for a database.
  std::string connection(const std::string& database = "postgres") const;
  int port() const { return m_port; }
  void start();
  void stop();      ///< Fast shutdown.
  void killHard();  ///< SIGKILL to the postmaster and all its children, as a crash would.
  void restart() {
    stop();
    start();
  }
  /// Runs SQL through psql, stops at the first error, returns its output (-Atq). For test set-up.
  std::string sql(const std::string& statements, const std::string& database = "postgres") const;

 private:
  std::filesystem::path m_folder;
  int m_port = 0;
  bool m_running = false;
};

}  // namespace tidemark::test
