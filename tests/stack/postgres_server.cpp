#include "tests/stack/postgres_server.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <libpq-fe.h>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/stack/command.h"

namespace tidemark::test {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kStartLimit = 60s;
constexpr auto kPollInterval = 20ms;
constexpr int kPortAttempts = 5;

[[noreturn]] void fail(const std::string& what, const std::string& detail) {
  throw std::runtime_error("PostgreSQL test server: " + what + "\n" + detail);
}

void require(const CommandResult& result, const std::string& what) {
  if (result.status != 0) fail(what + " ended with " + std::to_string(result.status), result.errors + result.output);
}

std::string readFile(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

fs::path uniqueFolder() {
  std::string pattern = (fs::temp_directory_path() / "tidemark-pg-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) fail("no temporary folder", std::strerror(errno));
  // The server's user has to pass through; the data folder in it is closed again.
  chmod(pattern.c_str(), 0755);
  return pattern;
}

/// One initialised cluster a process: initdb costs more than all the rest of a start.
class Template {
 public:
  static const fs::path& data() {
    static const Template instance;
    return instance.m_data;
  }

 private:
  Template() : m_folder(uniqueFolder()), m_data(m_folder / "data") {
    giveToServerUser(m_folder);
    require(runAsServerUser({serverPrograms() / "initdb", "-D", m_data, "-U", "postgres", "-E", "UTF8",
                             "--locale=C.UTF-8", "--no-sync", "--auth-local=trust", "--auth-host=scram-sha-256"}),
            "initdb");
  }
  ~Template() {
    std::error_code ignored;
    fs::remove_all(m_folder, ignored);
  }
  fs::path m_folder;
  fs::path m_data;
};

int freePort() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(descriptor);
  if (!bound) fail("no free port", std::strerror(errno));
  return ntohs(address.sin_port);
}

/// Processes whose parent is `parent`, from /proc.
std::vector<pid_t> childrenOf(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = readFile(entry.path() / "stat");
    const std::size_t nameEnd = stat.rfind(')');
    if (nameEnd == std::string::npos) continue;
    std::istringstream rest(stat.substr(nameEnd + 1));
    char state = 0;
    pid_t its = 0;
    rest >> state >> its;
    if (its == parent) children.push_back(std::stoi(name));
  }
  return children;
}

/// Gone, or dead and not yet collected by whoever inherited it.
bool isGone(pid_t process) {
  const std::string stat = readFile("/proc/" + std::to_string(process) + "/stat");
  const std::size_t nameEnd = stat.rfind(')');
  return nameEnd == std::string::npos || stat.compare(nameEnd, 3, ") Z") == 0;
}

}  // namespace

fs::path serverPrograms() {
  fs::path newest;
  int newestVersion = 0;
  if (fs::exists("/usr/lib/postgresql")) {
    for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql")) {
      const int version = std::atoi(entry.path().filename().c_str());
      if (version > newestVersion && fs::exists(entry.path() / "bin" / "initdb")) {
        newest = entry.path() / "bin";
        newestVersion = version;
      }
    }
  }
  if (!newest.empty()) return newest;
  const CommandResult asked = runCommand({"pg_config", "--bindir"});
  if (asked.status != 0) fail("no server programs found", asked.errors);
  return asked.output.substr(0, asked.output.find('\n'));
}

PostgresServer::PostgresServer(std::map<std::string, std::string> settings) {
  const fs::path& initialised = Template::data();
  makeFolder();
  try {
    fs::copy(initialised, m_folder / "data", fs::copy_options::recursive);
    fs::permissions(m_folder / "data", fs::perms::owner_all);
    writeSettings(settings);
    giveToServerUser(m_folder);
    start();
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(m_folder, ignored);
    throw;
  }
}

PostgresServer::PostgresServer(StandbyOf standby) {
  makeFolder();
  try {
    giveToServerUser(m_folder);
    require(runAsServerUser({serverPrograms() / "pg_basebackup", "-D", m_folder / "data", "-R", "-X", "stream", "-c",
                             "fast", "--no-sync", "-d", standby.primary.connection()}),
            "pg_basebackup");
    writeSettings({});
    giveToServerUser(m_folder);
    start();
    const std::string end = standby.primary.sql("SELECT pg_current_wal_flush_lsn()");
    const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
    while (sql("SELECT coalesce(pg_last_wal_replay_lsn() >= '" + end.substr(0, end.find('\n')) + "', false)")[0] !=
           't') {
      if (std::chrono::steady_clock::now() > deadline) fail("the standby does not catch up", log());
      std::this_thread::sleep_for(kPollInterval);
    }
  } catch (...) {
    stop();
    std::error_code ignored;
    fs::remove_all(m_folder, ignored);
    throw;
  }
}

PostgresServer::~PostgresServer() {
  stop();
  std::error_code ignored;
  fs::remove_all(m_folder, ignored);
}

void PostgresServer::makeFolder() {
  m_folder = uniqueFolder();
  fs::create_directory(m_folder / "socket");
}

void PostgresServer::writeSettings(const std::map<std::string, std::string>& settings) const {
  std::map<std::string, std::string> all{{"wal_level", "logical"},
                                         {"listen_addresses", "127.0.0.1"},
                                         {"unix_socket_directories", (m_folder / "socket").string()},
                                         {"shared_buffers", "64MB"},
                                         {"max_connections", "50"},
                                         {"max_wal_senders", "10"},
                                         {"max_replication_slots", "10"},
                                         {"max_prepared_transactions", "10"},
                                         {"autovacuum_naptime", "1h"},
                                         {"lc_messages", "C"},
                                         {"log_line_prefix", "%m [%p] "}};
  for (const auto& [name, value] : settings) all[name] = value;
  std::ofstream file(m_folder / "data" / "postgresql.conf", std::ios::app);
  for (const auto& [name, value] : all) file << name << " = '" << value << "'\n";
}

std::string PostgresServer::connection(const std::string& database, const std::string& user) const {
  return "host=" + (m_folder / "socket").string() + " port=" + std::to_string(m_port) + " dbname=" + database +
         " user=" + user;
}

std::string PostgresServer::networkConnection(const std::string& database, const std::string& user) const {
  return "host=127.0.0.1 port=" + std::to_string(m_port) + " dbname=" + database + " user=" + user;
}

bool PostgresServer::startOnce() {
  // Left by a crash; the process number in it may belong to a dead process that nobody collected yet.
  fs::remove(m_folder / "data" / "postmaster.pid");
  for (const auto& entry : fs::directory_iterator(m_folder / "socket")) fs::remove(entry.path());
  m_process = startAsServerUser({serverPrograms() / "postgres", "-D", m_folder / "data", "-p", std::to_string(m_port)},
                                m_folder / "log");
  m_running = true;
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (PQping(connection().c_str()) != PQPING_OK) {
    int status = 0;
    if (waitpid(m_process, &status, WNOHANG) == m_process) {
      m_running = false;
      return false;
    }
    if (std::chrono::steady_clock::now() > deadline) {
      killHard();
      fail("does not get ready", log());
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

void PostgresServer::start() {
  if (m_running) return;
  if (m_port != 0) {
    if (!startOnce()) fail("does not start again on its port", log());
    return;
  }
  // Another program may take the port between asking for it and using it.
  for (int attempt = 0; attempt < kPortAttempts; ++attempt) {
    m_port = freePort();
    if (startOnce()) return;
  }
  m_port = 0;
  fail("does not start", log());
}

void PostgresServer::waitUntilGone() {
  int status = 0;
  while (waitpid(m_process, &status, 0) < 0 && errno == EINTR) {
  }
  m_running = false;
}

void PostgresServer::stop() {
  if (!m_running) return;
  kill(m_process, SIGINT);
  waitUntilGone();
}

void PostgresServer::killHard() {
  if (!m_running) return;
  // Stopped first, so that no child is started while they are counted.
  kill(m_process, SIGSTOP);
  const std::vector<pid_t> children = childrenOf(m_process);
  for (const pid_t child : children) kill(child, SIGKILL);
  kill(m_process, SIGKILL);
  waitUntilGone();
  for (const pid_t child : children)
    while (!isGone(child)) std::this_thread::sleep_for(kPollInterval);
}

std::string PostgresServer::sql(const std::string& statements, const std::string& database) const {
  const CommandResult result =
      runCommand({"psql", "-X", "-Atq", "-v", "ON_ERROR_STOP=1", "-d", connection(database), "-f", "-"}, statements);
  if (result.status != 0) fail("psql ended with " + std::to_string(result.status), result.errors + statements);
  return result.output;
}

std::string PostgresServer::log() const {
  return readFile(m_folder / "log");
}

}  // namespace tidemark::test
