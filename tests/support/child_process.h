#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace tidemark::test {

struct ChildOptions {
  std::string input;                               ///< What the child reads from standard input; empty: nothing.
  std::optional<std::uint64_t> largestFile;        ///< Bytes; no file may be written beyond (RLIMIT_FSIZE).
  std::map<std::string, std::string> environment;  ///< Set beside what this process has.
  /// The child writes no further to standard error than the test has read: it stands still at its next write until
  /// nextErrorLine() takes the one before. So it can be caught at a line, whatever the machine's pace.
  bool lockstep = false;
};

/// How a child ended, and everything it printed.
struct ChildEnd {
  int code = 0;    ///< Exit code; 0 when a signal ended it.
  int signal = 0;  ///< The signal that ended it, or 0.
  std::string output;
  std::string error;
};

/// A program started as a child of the test. Its standard output and standard error are read all the time, so it never
/// waits for the test; standard error can also be followed line by line. One that still runs is killed with this
/// object. Every function belongs to one thread.
class ChildProcess {
 public:
  ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const ChildOptions& options = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return m_pid; }
  /// True until it has ended.
  bool running();
  void signal(int number);

  /// What it has printed on standard error so far, whatever was taken line by line.
  std::string error();
  /// The next line of standard error; empty when it has ended.
  std::optional<std::string> nextErrorLine();
  /// Reads on until a line begins so; false when standard error ended before one did.
  bool waitForErrorLine(const std::string& beginning);

  /// Waits for the child's end.
  ChildEnd wait();
  /// Kills it the hard way and waits for its end.
  ChildEnd kill();

 private:
  void readOutput(int descriptor);
  void readError(int descriptor);
  void takeError(const std::string& piece);
  void endError();
  void readPacket();
  void reap(int status);

  pid_t m_pid = -1;
  std::optional<ChildEnd> m_end;
  std::string m_output;
  int m_lockstep = -1;  ///< The end of standard error that the test reads packet by packet, or -1.

  std::mutex m_mutex;  ///< Guards what follows.
  std::condition_variable m_changed;
  std::string m_error;
  std::string m_errorRest;  ///< What has arrived of the line that is not complete yet.
  std::deque<std::string> m_lines;
  bool m_errorEnded = false;

  std::thread m_outputReader;
  std::thread m_errorReader;
};

}  // namespace tidemark::test
