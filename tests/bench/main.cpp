#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>

#include "tests/bench/measure.h"
#include "tests/bench/part_process.h"

namespace {

using namespace tidemark::bench;

struct Options {
  std::uint64_t rows = 1000000;
  int repeats = 0;
  bool json = false;
  std::set<std::string> parts;
};

int usage() {
  std::fprintf(stderr,
               "usage: tidemark_bench [ROWS] [--json] [--repeats N] [--only PART]…\n"
               "parts: limits apply load sweep verify across\n");
  return 2;
}

bool readOptions(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--json") {
      options.json = true;
    } else if (argument == "--only" && i + 1 < count) {
      options.parts.insert(arguments[++i]);
    } else if (argument == "--repeats" && i + 1 < count) {
      options.repeats = std::atoi(arguments[++i]);
    } else {
      options.rows = std::strtoull(argument.c_str(), nullptr, 10);
      if (options.rows < 10000) return false;
    }
  }
  if (options.repeats < 1) options.repeats = options.rows <= 2000000 ? 3 : 1;
  return true;
}

BenchReport measureAll(const Options& options) {
  const BenchWorld world(options.rows, options.repeats);
  BenchReport report;
  report.rows = options.rows;
  report.repeats = options.repeats;
  report.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  report.server = world.sinkSql("SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)");
  while (!report.server.empty() && report.server.back() == '\n') report.server.pop_back();
  const std::pair<const char*, std::function<std::vector<Figure>(const BenchWorld&)>> parts[] = {
      {"limits", measureLimits}, {"apply", measureApply},   {"load", measureLoad},
      {"sweep", measureSweep},   {"verify", measureVerify}, {"across", measureVerifyAcross}};
  for (const auto& [name, measure] : parts) {
    if (!options.parts.empty() && !options.parts.contains(name)) continue;
    std::fprintf(stderr, "measuring %s\n", name);
    for (Figure& figure : runPart([&measure, &world] { return measure(world); })) {
      report.figures.push_back(std::move(figure));
    }
  }
  return report;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!readOptions(count, arguments, options)) return usage();
  try {
    const BenchReport report = measureAll(options);
    std::fputs((options.json ? json(report) : markdown(report)).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tidemark_bench: %s\n", error.what());
    return 1;
  }
}
