#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "app/ctl/terminal.h"
#include "runbook/walk.h"

namespace tidemark::ctl {

/// Answers from a JSON file, for automation:
///   {"arm": true,
///    "1": {"reason": "events_lost"},
///    "2": {"waive": {"sink.triggers": {"reason": "…", "second_person": "…"}}},
///    "11": {"sweep": "public.orders"}}
/// A step is keyed by its number or its id; in it, a question or an action by its id. Actions that ask for no text are
/// performed when the run is armed. Throws Error "answers.file", "answers.json", "answers.step",
/// "answers.waiver".
class FileAnswers : public runbook::AnswerSource {
 public:
  explicit FileAnswers(const std::filesystem::path& file);
  /// Answers given in the program, in the same form.
  static FileAnswers fromText(const std::string& json);

  std::optional<std::string> answer(int step, const runbook::Question& question) override;
  std::optional<runbook::Waiver> waive(int step, const runbook::Gate& gate) override;
  bool arm(const runbook::Banner& banner) override;
  std::optional<std::string> confirm(int step, const runbook::Action& action) override;

 private:
  FileAnswers() = default;
  void parse(const std::string& json, const std::string& where);

  bool m_arm = false;
  std::map<int, std::map<std::string, std::string>> m_answers;
  std::map<int, std::map<std::string, runbook::Waiver>> m_waivers;
};

/// Asks a person at the terminal: shows each question with its choices, each action with its statement and row count,
/// and what arming means.
class TerminalAnswers : public runbook::AnswerSource {
 public:
  explicit TerminalAnswers(Terminal& terminal) : m_terminal(terminal) {}

  std::optional<std::string> answer(int step, const runbook::Question& question) override;
  std::optional<runbook::Waiver> waive(int step, const runbook::Gate& gate) override;
  bool arm(const runbook::Banner& banner) override;
  std::optional<std::string> confirm(int step, const runbook::Action& action) override;

 private:
  Terminal& m_terminal;
};

/// "rows exactly 1,000" or "about 20,000 rows": what an action touches, in words; empty when unknown.
std::string rowsText(const runbook::Action& action);

}  // namespace tidemark::ctl
