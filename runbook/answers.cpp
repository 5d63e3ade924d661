#include "runbook/answers.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

bool isWholeNumber(const std::string& value) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  return problem == std::errc() && end == value.data() + value.size();
}

void requireChoice(const Question& question, const std::string& value) {
  std::string allowed;
  for (const Choice& each : question.choices) {
    if (each.value == value) {
      if (each.notBecause.empty()) return;
      invalidAnswer(text("\"%1\" cannot be chosen: %2", each.label, each.notBecause), text("Choose another one."));
    }
    if (each.notBecause.empty()) allowed += (allowed.empty() ? "" : ", ") + each.value;
  }
  invalidAnswer(text("\"%1\" is not one of the choices.", value), text("Answer one of: %1.", allowed));
}

void requireKeyPart(const ColumnPair& column, const std::string& part) {
  switch (column.type.kind) {
    case ColumnKind::SmallInt:
    case ColumnKind::Integer:
    case ColumnKind::BigInt:
      if (isWholeNumber(part)) return;
      invalidAnswer(
          text("\"%1\" is no whole number, but key column %2 is %3.", part, column.source, column.type.declared),
          text("Give a value of the column's type."));
    default:
      return;
  }
}

}  // namespace

void invalidAnswer(const std::string& reason, const std::string& wayOut) {
  throw Error("answer.invalid", reason, {.hint = wayOut});
}

void requireAnswer(const Question& question, const std::string& value) {
  if (value.empty()) {
    if (!question.required) return;
    invalidAnswer(text("\"%1\" wants an answer.", question.prompt), question.help);
  }
  switch (question.kind) {
    case QuestionKind::Text:
      return;
    case QuestionKind::Choice:
      requireChoice(question, value);
      return;
    case QuestionKind::Number:
      if (!isWholeNumber(value) || value.front() == '-') {
        invalidAnswer(text("\"%1\" is no whole number from 0.", value), text("Write digits only."));
      }
      return;
    case QuestionKind::ConfirmByTyping:
      if (value != question.expected) {
        invalidAnswer(text("What was typed is not %1.", question.expected),
                      text("Type it exactly, capitals included."));
      }
      return;
  }
}

Key parseKey(const TableMapping& mapping, const std::string& written) {
  Key key;
  if (mapping.key.size() == 1) {
    key = {written};
  } else {
    const auto value = nlohmann::json::parse(written, nullptr, false);
    const bool fits = value.is_array() && value.size() == mapping.key.size() &&
                      std::all_of(value.begin(), value.end(), [](const auto& part) { return part.is_string(); });
    if (!fits) {
      invalidAnswer(text("The key has %1 columns, and \"%2\" does not give as many.",
                         std::to_string(mapping.key.size()), written),
                    text("Write a JSON list of texts, for example [\"7\", \"a\"]."));
    }
    key = value.get<Key>();
  }
  for (std::size_t index = 0; index < key.size(); ++index) requireKeyPart(mapping.key[index], key[index]);
  return key;
}

}  // namespace tidemark::runbook
