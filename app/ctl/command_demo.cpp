#include <nlohmann/json.hpp>

#include "app/ctl/commands.h"
#include "app/ctl/run_session.h"
#include "app/wiring/adapter_environment.h"
#include "engine/core/temporary_folder.h"

namespace tidemark::ctl {

namespace {

/// What an operator of the demo would say: every default, the sink's table name where something is to be typed.
class DemoAnswers final : public runbook::AnswerSource {
 public:
  std::optional<std::string> answer(int, const runbook::Question& question) override {
    if (!question.expected.empty()) return question.expected;
    if (!question.defaultValue.empty()) return question.defaultValue;
    for (const auto& choice : question.choices) {
      if (choice.notBecause.empty()) return choice.value;
    }
    if (!question.required) return std::nullopt;
    return question.kind == runbook::QuestionKind::Number ? "0" : "demo";
  }
  std::optional<runbook::Waiver> waive(int, const runbook::Gate&) override {
    return runbook::Waiver{"the demo's own tables", "demo reviewer", {}, {}};
  }
  bool arm(const runbook::Banner&) override { return true; }
  std::optional<std::string> confirm(int, const runbook::Action& action) override { return action.confirmation; }
};

std::string differencesText(const nlohmann::json& differences) {
  return "missing " + differences.value("missing", nlohmann::json(0)).dump() + ", stale " +
         differences.value("stale", nlohmann::json(0)).dump() + ", ghost " +
         differences.value("ghost", nlohmann::json(0)).dump();
}

/// The demo is over when it stops: a step that it did not finish has failed.
nlohmann::ordered_json demoDocument(const std::string& run) {
  auto document = nlohmann::ordered_json::parse(run);
  for (auto& step : document["steps"]) {
    if (step["result"] == "not_finished") step["result"] = "failed";
  }
  return document;
}

}  // namespace

ExitCode demoCommand(const Options& options, Terminal& terminal, std::stop_token stop) {
  std::optional<TemporaryFolder> temporary;
  if (options.folder.empty()) temporary.emplace("tidemark-demo");
  const auto folder = temporary ? temporary->path() : options.folder;
  // The run and its report outlast the demo's databases.
  const auto runs = temporary ? app::defaultRunFolder() : options.folder / "runs";
  DemoOptions demo;
  demo.rows = static_cast<std::int64_t>(options.rows);
  app::AdapterEnvironment environment(demo);
  RunPrinter printer(terminal);
  DemoAnswers answers;
  const auto driver = runbook::RunDriver::create(environment, app::demoProfile(folder), runs, &printer, {});
  runbook::WalkResult result;
  ExitCode code = ExitCode::Failure;
  try {
    code = driveRun(*driver, answers, terminal, stop, &result);
  } catch (const Error& error) {
    if (terminal.json()) terminal.document(demoDocument(failedRunJson(driver->state(), error)).dump(2));
    throw;
  }
  const auto document = demoDocument(runJson(driver->state(), result));
  terminal.say();
  for (const auto& step : document["steps"]) {
    terminal.say(step["number"].dump() + "  " + step["name"].get<std::string>() + ": " +
                 step["result"].get<std::string>());
  }
  const auto before = document.value("differences_before", nlohmann::json::object());
  const auto after = document.value("differences_after", nlohmann::json::object());
  terminal.say("Differences before: " + differencesText(before));
  terminal.say("Differences after:  " + differencesText(after));
  terminal.say("Journal and report: " + driver->runFolder().string());
  if (terminal.json()) terminal.document(document.dump(2));
  return code;
}

}  // namespace tidemark::ctl
