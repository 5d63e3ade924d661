#pragma once

#include <map>
#include <string>

#include "runbook/walk.h"

namespace tidemark::test {

/// Answers everything that a careful operator would; a test changes what it is about.
class ScriptedAnswers : public runbook::AnswerSource {
 public:
  std::optional<std::string> answer(int, const runbook::Question& question) override {
    const auto found = answers.find(question.id);
    if (found == answers.end()) return {};
    return found->second;
  }
  std::optional<runbook::Waiver> waive(int, const runbook::Gate& gate) override {
    if (!waives) return {};
    waived.push_back(gate.id);
    return runbook::Waiver{"looked at it", "second person", {}, {}};
  }
  bool arm(const runbook::Banner&) override { return arms; }
  std::optional<std::string> confirm(int step, const runbook::Action& action) override {
    if (refuse == action.id) return {};
    performed.push_back(std::to_string(step) + "." + action.id);
    return action.confirmation;
  }

  std::map<std::string, std::string> answers{
      {"reason", "wrong_rows"}, {"way", "sql_reload"},        {"method", "wait"},      {"accepted_by", "On Call"},
      {"resume", "continue"},   {"who_may_pause", "On Call"}, {"signed_by", "On Call"}};
  bool arms = true;
  bool waives = true;
  std::string refuse;
  std::vector<std::string> performed;
  std::vector<std::string> waived;
};

}  // namespace tidemark::test
