#include "runbook/answers.h"
#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

Question numberQuestion(const std::string& id, const std::string& prompt, std::uint64_t otherwise,
                        const std::string& help) {
  Question question;
  question.id = id;
  question.prompt = prompt;
  question.kind = QuestionKind::Number;
  question.required = false;
  question.defaultValue = std::to_string(otherwise);
  question.help = help;
  return question;
}

class PaceStep final : public NumberedStep {
 public:
  PaceStep() : NumberedStep(8) {}

  std::vector<Question> questions(StepContext& context) override {
    const Limits& limits = context.profile().limits;
    Question who;
    who.id = "who_may_pause";
    who.prompt = text("Who may pause the load?");
    who.help = text("A name or an on-call rota.");
    return {
        numberQuestion("batch_rows", text("Rows a batch"), limits.batchRows,
                       text("Each batch is one transaction of the sink.")),
        numberQuestion("rows_per_second", text("Rows a second at most"), limits.rowsPerSecond,
                       text("0 = as fast as it goes.")),
        numberQuestion("maximum_sink_latency_ms", text("Pause when a batch takes longer than this many milliseconds"),
                       static_cast<std::uint64_t>(limits.maximumSinkLatency.count()), text("0 = never.")),
        numberQuestion("longest_pause_seconds", text("Longest pause that may hold the snapshot, in seconds"),
                       static_cast<std::uint64_t>(limits.longestPause.count()),
                       text("A longer pause ends the segment; the load goes on in a new one.")),
        who};
  }

  void checkAnswer(StepContext&, const std::string& question, const std::string& value) override {
    if (question == "batch_rows" && (value == "0" || value.size() > 7)) {
      invalidAnswer(text("A batch of %1 rows cannot be loaded.", value), text("Give a number from 1 to 1,000,000."));
    }
    if (value.size() > 9 && question != "who_may_pause") {
      invalidAnswer(text("%1 is too large.", value), text("Give a smaller number."));
    }
  }

  std::vector<Gate> measure(StepContext& context) override {
    const Pace pace = paceOf(context.state(), context.profile());
    const auto limit = [](std::uint64_t value, const std::string& unit) {
      return value == 0 ? text("no limit") : groupedNumber(value) + " " + unit;
    };
    return {
        passed("pace.batch", text("Rows a batch"), groupedNumber(pace.batchRows), text("answers")),
        passed("pace.rate", text("Rate"), limit(pace.rowsPerSecond, text("rows/s")), text("answers")),
        passed("pace.latency", text("Pauses by itself above"),
               limit(static_cast<std::uint64_t>(pace.maximumSinkLatency.count()), text("ms a batch")), text("answers")),
        notApplicable("pace.connector", text("Chunk size, threads and fetch size of the connector"),
                      text("Does not apply: reloading by SQL does not go through a connector."))};
  }
};

}  // namespace

std::unique_ptr<Step> makePaceStep() {
  return std::make_unique<PaceStep>();
}

}  // namespace tidemark::runbook
