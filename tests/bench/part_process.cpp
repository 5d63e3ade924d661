#include "tests/bench/part_process.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::bench {

namespace {

/// Makes the high-water mark start at what the process uses now.
void resetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

double peakMegabytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

void writeAll(int descriptor, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t put = write(descriptor, text.data() + written, text.size() - written);
    if (put <= 0) return;
    written += static_cast<std::size_t>(put);
  }
}

/// Never returns: the servers belong to the process that started them, and so do the objects that would stop them.
[[noreturn]] void inChild(const std::function<std::vector<Figure>()>& part, int answer) {
  int status = 1;
  try {
    resetPeak();
    std::vector<Figure> figures = part();
    for (Figure& figure : figures) {
      if (figure.peakMegabytes <= 0) figure.peakMegabytes = peakMegabytes();
    }
    writeAll(answer, packed(figures));
    status = 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

std::vector<Figure> runPart(const std::function<std::vector<Figure>()>& part) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe for a part of the bench");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process for a part of the bench");
  if (child == 0) {
    close(ends[0]);
    inChild(part, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char block[4096];
  for (ssize_t got; (got = read(ends[0], block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("a part of the bench failed");
  return unpacked(text);
}

}  // namespace tidemark::bench
