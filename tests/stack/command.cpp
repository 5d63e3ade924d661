#include "tests/stack/command.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <optional>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::test {

namespace {

struct ServerUser {
  uid_t user = 0;
  gid_t group = 0;
};

/// Empty when the tests do not run as root: then everything runs as who started them.
std::optional<ServerUser> serverUser() {
  if (geteuid() != 0) return std::nullopt;
  const passwd* entry = getpwnam("postgres");
  if (entry == nullptr) throw std::runtime_error("tests run as root and there is no user postgres to run a server as");
  return ServerUser{entry->pw_uid, entry->pw_gid};
}

std::vector<char*> argumentPointers(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Runs in the child between fork and exec: system calls only.
void becomeUser(const std::optional<ServerUser>& user) {
  if (!user) return;
  if (setgroups(0, nullptr) != 0 || setgid(user->group) != 0 || setuid(user->user) != 0) _exit(126);
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

/// Feeds and empties the three pipes together, so that neither side waits for the other.
void exchange(Pipe& in, Pipe& out, Pipe& err, const std::string& input, CommandResult& result) {
  std::size_t written = 0;
  if (input.empty()) in.closeEnd(1);
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    std::array<pollfd, 3> waits{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0},
                                pollfd{in.ends[1], POLLOUT, 0}};
    poll(waits.data(), waits.size(), -1);
    const auto take = [](Pipe& pipe, const pollfd& wait, std::string& text) {
      if (wait.revents == 0) return;
      std::array<char, 65536> buffer;
      const ssize_t count = read(pipe.ends[0], buffer.data(), buffer.size());
      if (count > 0)
        text.append(buffer.data(), static_cast<std::size_t>(count));
      else
        pipe.closeEnd(0);
    };
    take(out, waits[0], result.output);
    take(err, waits[1], result.errors);
    if (waits[2].revents == 0) continue;
    const ssize_t count =
        write(in.ends[1], input.data() + written, std::min<std::size_t>(input.size() - written, 4096));
    if (count > 0) written += static_cast<std::size_t>(count);
    if (count <= 0 || written == input.size()) in.closeEnd(1);
  }
}

CommandResult run(const std::vector<std::string>& arguments, const std::string& input,
                  const std::optional<ServerUser>& user) {
  Pipe in, out, err;
  const std::vector<char*> pointers = argumentPointers(arguments);
  signal(SIGPIPE, SIG_IGN);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    dup2(in.ends[0], 0);
    dup2(out.ends[1], 1);
    dup2(err.ends[1], 2);
    becomeUser(user);
    if (user && chdir("/") != 0) _exit(126);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  in.closeEnd(0);
  out.closeEnd(1);
  err.closeEnd(1);
  CommandResult result;
  exchange(in, out, err, input, result);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.status == 127) throw std::runtime_error("cannot start " + arguments.front());
  return result;
}

}  // namespace

CommandResult runCommand(const std::vector<std::string>& arguments, const std::string& input) {
  return run(arguments, input, std::nullopt);
}

CommandResult runAsServerUser(const std::vector<std::string>& arguments, const std::string& input) {
  return run(arguments, input, serverUser());
}

int startAsServerUser(const std::vector<std::string>& arguments, const std::string& logFile) {
  const std::optional<ServerUser> user = serverUser();
  const std::vector<char*> pointers = argumentPointers(arguments);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    // A group of its own, so that an interrupt at the terminal reaches the test alone.
    setpgid(0, 0);
    becomeUser(user);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    const int log = open(logFile.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const int nothing = open("/dev/null", O_RDONLY);
    if (log < 0 || nothing < 0 || chdir("/") != 0) _exit(126);
    dup2(nothing, 0);
    dup2(log, 1);
    dup2(log, 2);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  return child;
}

void giveToServerUser(const std::string& folder) {
  const std::optional<ServerUser> user = serverUser();
  if (!user) return;
  const auto give = [&](const std::filesystem::path& path) {
    if (lchown(path.c_str(), user->user, user->group) != 0)
      throw std::runtime_error("chown " + path.string() + ": " + std::strerror(errno));
  };
  give(folder);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) give(entry.path());
}

}  // namespace tidemark::test
