#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/progress.h"

namespace tidemark::ctl {

/// Standard streams as the subcommands use them: standard output carries the result (one JSON document with --json),
/// standard error carries progress, questions and errors. Not thread-safe but for report().
class Terminal final : public ProgressSink {
 public:
  explicit Terminal(bool json);

  bool json() const { return m_json; }
  /// True when questions can be asked: standard input and standard error are a terminal.
  bool interactive() const { return m_interactive; }

  /// A line of the result, on standard output. With --json nothing but the document may go there: then on standard
  /// error.
  void say(const std::string& line = {});
  /// A line on standard error, whatever the mode.
  void note(const std::string& line);
  /// The one document of --json, followed by a newline.
  void document(const std::string& json);
  /// An error in the house's order: what happened, what to do, then details. With --json, when no document was printed
  /// before, the document is {"error": …}.
  void error(const Error& error);

  /// Asks for a line; empty input gives `initial`. Empty when standard input has ended.
  std::optional<std::string> ask(const std::string& prompt, const std::string& initial = {});

  /// Progress: one line redrawn in place on a terminal, a plain line every two seconds when piped.
  void report(const Progress& progress) override;
  /// Ends the redrawn progress line, if there is one.
  void endProgress();

 private:
  bool m_json;
  bool m_interactive;
  bool m_drawProgress;
  bool m_progressShown = false;
  bool m_documented = false;
  std::string m_lastActivity;
  std::chrono::steady_clock::time_point m_lastLine{};
};

/// {"code": …, "message": …, "hint": …, "technical": …} as JSON text.
std::string errorJson(const Error& error);
/// "load: 120,000 of 1,000,000 rows (12 %), 85,000/s, about 11 s left": the same words in terminal and log.
std::string progressText(const Progress& progress);
/// "1,234,567"
std::string grouped(std::uint64_t number);

}  // namespace tidemark::ctl
