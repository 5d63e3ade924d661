#include "tests/support/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace tidemark::test {

namespace {

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe makePipe(int flags = 0) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | flags) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {ends[0], ends[1]};
}

/// A pipe that holds one write: the next one waits until it was read.
Pipe makePacketPipe() {
  const Pipe pipe = makePipe(O_DIRECT);
  if (::fcntl(pipe.write, F_SETPIPE_SZ, 4096) < 0) {
    throw std::system_error(errno, std::generic_category(), "size of a pipe");
  }
  return pipe;
}

int inputFile(const std::string& content) {
  if (content.empty()) return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t count = ::write(file, content.data() + done, content.size() - done);
    if (count <= 0) throw std::system_error(errno, std::generic_category(), "standard input");
    done += static_cast<std::size_t>(count);
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

std::vector<std::string> environmentWith(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string entry = *each;
    if (!added.contains(entry.substr(0, entry.find('=')))) result.push_back(entry);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& each : texts) result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

/// Calls `take` with every piece that arrives until the other end is closed, then closes this one.
template <typename Take>
void drain(int descriptor, const Take& take) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) take(std::string(buffer.data(), static_cast<std::size_t>(count)));
    if (count == 0 || (count < 0 && errno != EINTR)) break;
  }
  ::close(descriptor);
}

}  // namespace

ChildProcess::ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const ChildOptions& options) {
  // Everything that allocates is done before the fork: the child may only call what is safe there.
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environmentWith(options.environment);
  const auto wordPointers = pointers(words);
  const auto variablePointers = pointers(variables);
  const int input = inputFile(options.input);
  const Pipe output = makePipe();
  const Pipe error = options.lockstep ? makePacketPipe() : makePipe();
  m_pid = ::fork();
  if (m_pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output.write, STDOUT_FILENO);
    ::dup2(error.write, STDERR_FILENO);
    if (options.largestFile) {
      const rlimit limit{*options.largestFile, *options.largestFile};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ::execve(wordPointers[0], wordPointers.data(), variablePointers.data());
    ::_exit(127);
  }
  ::close(input);
  ::close(output.write);
  ::close(error.write);
  if (m_pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  m_outputReader = std::thread([this, descriptor = output.read] { readOutput(descriptor); });
  if (options.lockstep) {
    m_lockstep = error.read;
  } else {
    m_errorReader = std::thread([this, descriptor = error.read] { readError(descriptor); });
  }
}

ChildProcess::~ChildProcess() {
  kill();
}

bool ChildProcess::running() {
  if (m_end) return false;
  int status = 0;
  if (::waitpid(m_pid, &status, WNOHANG) == 0) return true;
  reap(status);
  return false;
}

void ChildProcess::signal(int number) {
  if (running()) ::kill(m_pid, number);
}

std::string ChildProcess::error() {
  const std::lock_guard lock(m_mutex);
  return m_error;
}

std::optional<std::string> ChildProcess::nextErrorLine() {
  while (m_lockstep >= 0 && m_lines.empty()) readPacket();
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [this] { return !m_lines.empty() || m_errorEnded; });
  if (m_lines.empty()) return {};
  std::string line = std::move(m_lines.front());
  m_lines.pop_front();
  return line;
}

bool ChildProcess::waitForErrorLine(const std::string& beginning) {
  while (const auto line = nextErrorLine()) {
    if (line->starts_with(beginning)) return true;
  }
  return false;
}

ChildEnd ChildProcess::wait() {
  if (!m_end) {
    while (m_lockstep >= 0) readPacket();
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
    }
    reap(status);
  }
  return *m_end;
}

ChildEnd ChildProcess::kill() {
  signal(SIGKILL);
  return wait();
}

void ChildProcess::reap(int status) {
  m_outputReader.join();
  if (m_errorReader.joinable()) m_errorReader.join();
  while (m_lockstep >= 0) readPacket();
  ChildEnd end;
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  end.output = m_output;
  end.error = m_error;
  m_end = std::move(end);
}

void ChildProcess::readOutput(int descriptor) {
  drain(descriptor, [this](const std::string& piece) { m_output += piece; });
}

void ChildProcess::readError(int descriptor) {
  drain(descriptor, [this](const std::string& piece) { takeError(piece); });
  endError();
}

void ChildProcess::readPacket() {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(m_lockstep, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return;
  if (count > 0) {
    takeError(std::string(buffer.data(), static_cast<std::size_t>(count)));
    return;
  }
  ::close(m_lockstep);
  m_lockstep = -1;
  endError();
}

void ChildProcess::takeError(const std::string& piece) {
  const std::lock_guard lock(m_mutex);
  m_error += piece;
  m_errorRest += piece;
  for (std::size_t end = m_errorRest.find('\n'); end != std::string::npos; end = m_errorRest.find('\n')) {
    m_lines.push_back(m_errorRest.substr(0, end));
    m_errorRest.erase(0, end + 1);
  }
  m_changed.notify_all();
}

void ChildProcess::endError() {
  const std::lock_guard lock(m_mutex);
  if (!m_errorRest.empty()) m_lines.push_back(m_errorRest);
  m_errorRest.clear();
  m_errorEnded = true;
  m_changed.notify_all();
}

}  // namespace tidemark::test
