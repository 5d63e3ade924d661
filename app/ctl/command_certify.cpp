#include "app/ctl/commands.h"
#include "app/wiring/adapter_environment.h"

namespace tidemark::ctl {

namespace {

std::string column(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text + "  ";
}

void printTable(const Certificate& certificate, Terminal& terminal) {
  terminal.say(column("sink", 24) + column("same batch twice", 16) + column("replay one by one", 17) +
               column("late update after delete", 24) + column("shuffles", 10) + column("random logs", 11) + "orders");
  const auto word = [](bool passed) { return std::string(passed ? "pass" : "fail"); };
  for (const auto& sink : certificate.sinks) {
    terminal.say(column(sink.name, 24) + column(word(sink.sameBatchTwice), 16) + column(word(sink.replayOneByOne), 17) +
                 column(word(sink.lateUpdateAfterDelete), 24) +
                 column(std::to_string(sink.shufflesThatDiffer) + "/" + std::to_string(kCertifyShuffles), 10) +
                 column(std::to_string(sink.randomLogsThatFail) + "/" + std::to_string(kCertifyRandomLogs), 11) +
                 std::to_string(sink.ordersThatDiffer) + "/" + std::to_string(kCertifyOrders));
  }
}

}  // namespace

ExitCode certifyCommand(const Options& options, Terminal& terminal, std::stop_token stop) {
  const auto profile = runbook::loadProfile(options.profile);
  const auto dialect = app::AdapterEnvironment::openCertification(profile);
  for (const auto& leftover : dialect->dropLeftovers()) terminal.note("dropped the leftover scratch table " + leftover);
  const Certificate certificate = certify(*dialect, stop, terminal);
  printTable(certificate, terminal);
  terminal.say(certificate.passed() ? "The guarded sink converges, and every broken one was found."
                                    : "NOT certified: the guarded sink failed, or a broken one was not found.");
  if (terminal.json()) terminal.document(app::certificateJson(certificate));
  return certificate.passed() ? ExitCode::Passed : ExitCode::Failure;
}

}  // namespace tidemark::ctl
