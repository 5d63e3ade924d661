#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::ctl {

/// The command line, read. Every field that a subcommand does not know keeps its default.
struct Options {
  std::string command;
  bool json = false;
  bool dryRun = false;
  bool preview = false;
  bool leaveKeys = false;  ///< apply: do not read doubtful and incomplete keys again.
  std::filesystem::path profile;
  std::filesystem::path runs;  ///< Folder of the runs; empty = the default.
  std::filesystem::path answers;
  std::filesystem::path from;  ///< apply: JSON lines; "-" is standard input.
  std::filesystem::path html;
  std::filesystem::path folder;  ///< demo: where its databases lie.
  std::string run;
  std::string abandon;  ///< resume: end the run for this reason instead.
  std::string confirm;  ///< undo: the sink table's name, typed.
  std::string rangeFrom;
  std::string rangeTo;
  std::string filter;
  std::uint64_t batchRows = 10000;
  std::uint64_t rows = 20000;  ///< demo: rows of the source.
};

}  // namespace tidemark::ctl
