#include <charconv>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/ctl/answers.h"
#include "runbook/step.h"

namespace tidemark::ctl {

namespace {

using nlohmann::json;

int stepNumber(const std::string& name, const std::string& where) {
  for (const auto& info : runbook::stepInfos()) {
    if (name == info.id || name == std::to_string(info.number)) return info.number;
  }
  throw Error("answers.step", where + ": '" + name + "' is no step",
              {"Key answers by step number (1 to 15) or step id, and 'arm' beside them.", {}, {}});
}

[[noreturn]] void refuseWaiver(const std::string& where, const std::string& step, const std::string& what) {
  throw Error("answers.waiver",
              where + ": step " + step + ": '" + what + "' is no waiver with a reason and a second person",
              {R"(Write "waive": {"GATE": {"reason": "…", "second_person": "…"}}.)", {}, {}});
}

std::string asText(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

}  // namespace

FileAnswers::FileAnswers(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::stringstream text;
  text << input.rdbuf();
  if (!input) {
    throw Error("answers.file", "the answers file " + file.string() + " cannot be read",
                {"Name a readable JSON file, or leave --answers out to be asked.", {}, {}});
  }
  parse(text.str(), file.string());
}

FileAnswers FileAnswers::fromText(const std::string& text) {
  FileAnswers answers;
  answers.parse(text, "answers");
  return answers;
}

void FileAnswers::parse(const std::string& text, const std::string& where) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::exception& error) {
    throw Error("answers.json", where + " is not JSON", {"Mend the file at the place named below.", error.what(), {}});
  }
  if (!document.is_object()) {
    throw Error("answers.json", where + " is not a JSON object",
                {"Key it by step, and 'arm' beside the steps.", {}, {}});
  }
  for (const auto& [name, entries] : document.items()) {
    if (name == "arm") {
      m_arm = entries.is_boolean() && entries.get<bool>();
      continue;
    }
    const int step = stepNumber(name, where);
    if (!entries.is_object()) {
      throw Error("answers.step", where + ": step " + name + " is not a JSON object",
                  {"Key it by question or action.", {}, {}});
    }
    for (const auto& [key, value] : entries.items()) {
      if (key != "waive") {
        m_answers[step][key] = asText(value);
        continue;
      }
      if (!value.is_object()) refuseWaiver(where, name, "waive");
      for (const auto& [gate, waiver] : value.items()) {
        const auto given = [&](const char* field) {
          return waiver.is_object() && waiver.contains(field) && waiver[field].is_string();
        };
        if (!given("reason") || !given("second_person")) refuseWaiver(where, name, gate);
        m_waivers[step][gate] = {waiver["reason"], waiver["second_person"], {}, {}};
      }
    }
  }
}

std::optional<std::string> FileAnswers::answer(int step, const runbook::Question& question) {
  const auto& answers = m_answers[step];
  const auto found = answers.find(question.id);
  if (found == answers.end()) return std::nullopt;
  return found->second;
}

std::optional<runbook::Waiver> FileAnswers::waive(int step, const runbook::Gate& gate) {
  const auto& waivers = m_waivers[step];
  const auto found = waivers.find(gate.id);
  if (found == waivers.end()) return std::nullopt;
  return found->second;
}

bool FileAnswers::arm(const runbook::Banner&) {
  return m_arm;
}

std::optional<std::string> FileAnswers::confirm(int step, const runbook::Action& action) {
  const auto& answers = m_answers[step];
  const auto found = answers.find(action.id);
  if (found != answers.end()) return found->second == "no" ? std::nullopt : std::optional(found->second);
  if (action.confirmation.empty()) return std::string();
  return std::nullopt;
}

}  // namespace tidemark::ctl
