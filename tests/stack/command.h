#pragma once

#include <string>
#include <vector>

namespace tidemark::test {

struct CommandResult {
  int status = 0;  ///< Exit status; 128 + signal when a signal ended it.
  std::string output;
  std::string errors;
};

/// Runs a program to its end with `input` on standard input. Throws std::runtime_error when it cannot be started.
CommandResult runCommand(const std::vector<std::string>& arguments, const std::string& input = {});

/// The same as user `postgres` when the tests run as root: the server's programs refuse to run as root.
CommandResult runAsServerUser(const std::vector<std::string>& arguments, const std::string& input = {});

/// Starts a program as the server's user and returns its process id. Output goes to `logFile`. The program gets
/// SIGINT when the starting thread ends without having stopped it.
int startAsServerUser(const std::vector<std::string>& arguments, const std::string& logFile);

/// Gives a folder with everything in it to the server's user; does nothing unless the tests run as root.
void giveToServerUser(const std::string& folder);

}  // namespace tidemark::test
