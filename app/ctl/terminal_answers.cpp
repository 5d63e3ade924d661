#include "app/ctl/answers.h"

namespace tidemark::ctl {

std::string rowsText(const runbook::Action& action) {
  if (!action.rows) return {};
  return (action.rowsExact ? "exactly " : "about ") + grouped(*action.rows) + " rows";
}

std::optional<std::string> TerminalAnswers::answer(int, const runbook::Question& question) {
  m_terminal.note("");
  m_terminal.note(question.prompt);
  if (!question.help.empty()) m_terminal.note("  " + question.help);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const auto& choice = question.choices[i];
    std::string line = "  " + std::to_string(i + 1) + "  " + choice.label;
    if (!choice.notBecause.empty()) line += " (not now: " + choice.notBecause + ")";
    m_terminal.note(line);
  }
  std::string prompt = question.choices.empty() ? "Answer" : "Number or word";
  if (question.kind == runbook::QuestionKind::ConfirmByTyping) prompt = "Type '" + question.expected + "'";
  auto given = m_terminal.ask(prompt + (question.required ? "" : " (may stay empty)"), question.defaultValue);
  if (!given) return std::nullopt;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    if (*given == std::to_string(i + 1)) return question.choices[i].value;
  }
  return given;
}

std::optional<runbook::Waiver> TerminalAnswers::waive(int, const runbook::Gate& gate) {
  m_terminal.note("");
  m_terminal.note("Warning: " + gate.title + ": " + gate.measured);
  if (!gate.hint.empty()) m_terminal.note("  " + gate.hint);
  const auto reason = m_terminal.ask("Reason to go on all the same (empty = stop here)");
  if (!reason || reason->empty()) return std::nullopt;
  const auto second = m_terminal.ask("Name of the second person who agrees");
  if (!second || second->empty()) return std::nullopt;
  return runbook::Waiver{*reason, *second, {}, {}};
}

bool TerminalAnswers::arm(const runbook::Banner& banner) {
  m_terminal.note("");
  m_terminal.note("Until now nothing was written. Arming lets this run write to:");
  m_terminal.note("  " + banner.sinkTable + " on " + banner.sink + " (" + banner.environment + ")");
  const auto word = m_terminal.ask("Type 'arm' to go on");
  return word && *word == "arm";
}

std::optional<std::string> TerminalAnswers::confirm(int, const runbook::Action& action) {
  m_terminal.note("");
  m_terminal.note(action.title);
  const std::string rows = rowsText(action);
  if (!rows.empty()) m_terminal.note("  touches " + rows);
  if (!action.statement.empty()) m_terminal.note(action.statement);
  if (!action.reverse.empty()) m_terminal.note("  " + action.reverse);
  if (!action.confirmation.empty()) return m_terminal.ask("Type '" + action.confirmation + "' to do this");
  if (!action.writes) return std::string();
  const auto word = m_terminal.ask("Type 'do' to do this");
  if (!word || *word != "do") return std::nullopt;
  return std::string();
}

}  // namespace tidemark::ctl
