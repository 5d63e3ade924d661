#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tidemark::test {

/// A real PostgreSQL server on a free port in a temporary folder, started as an unprivileged user when the tests run
/// as root, stopped and removed by the destructor. Settings go to postgresql.conf; wal_level is logical, fsync is on
/// unless set otherwise. The socket in the folder trusts everybody; 127.0.0.1 asks for a password.
class PostgresServer {
 public:
  explicit PostgresServer(std::map<std::string, std::string> settings = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// A streaming standby of `primary` in a folder and on a port of its own, caught up when this returns.
  struct StandbyOf {
    const PostgresServer& primary;
  };
  explicit PostgresServer(StandbyOf standby);

  /// libpq connection string of the superuser for a database, over the socket.
  std::string connection(const std::string& database = "postgres", const std::string& user = "postgres") const;
  /// The same over 127.0.0.1, where a password is asked for.
  std::string networkConnection(const std::string& database, const std::string& user) const;
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
  /// The server's log so far, for messages of failing tests.
  std::string log() const;

 private:
  void makeFolder();
  void writeSettings(const std::map<std::string, std::string>& settings) const;
  bool startOnce();
  void waitUntilGone();

  std::filesystem::path m_folder;
  int m_port = 0;
  int m_process = 0;
  bool m_running = false;
};

/// Folder of the server's programs: pg_config's, or the newest below /usr/lib/postgresql.
std::filesystem::path serverPrograms();

}  // namespace tidemark::test
