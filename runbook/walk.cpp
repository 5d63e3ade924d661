#include "runbook/walk.h"

#include <algorithm>
#include <set>
#include <thread>

#include "engine/core/error.h"

namespace tidemark::runbook {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kDrainedStep = 10;
constexpr milliseconds kFirstWait{200};
constexpr milliseconds kLongestWait{3000};  // Each measurement is a journal entry: a long wait must not fill it.
// Each step has at most three actions; a repair asks for another comparison. More rounds than this are no progress.
constexpr int kActionsAtMost = 12;

/// What is wrong, then what to do, each as a sentence of its own.
std::string sentences(const Gate& gate) {
  std::string text = gate.title + (gate.measured.empty() ? "" : ": " + gate.measured);
  if (gate.hint.empty()) return text;
  if (text.back() != '.') text += ".";
  return text + " " + gate.hint;
}

/// One step of a walk. Each function returns false when the walk ends here, with the reason in `result`.
class StepWalk {
 public:
  StepWalk(RunDriver& driver, AnswerSource& answers, int step, std::stop_token stop)
      : m_driver(driver), m_answers(answers), m_step(step), m_stop(std::move(stop)) {
    m_result.step = step;
  }

  bool run() {
    requireGoingOn();
    if (!m_driver.doesNotApply(m_step).empty()) {
      m_driver.skip(m_step);
      return true;
    }
    if (!resume()) return false;
    m_driver.measure(m_step);
    if (!ask()) return false;
    m_driver.measure(m_step);
    if (m_step == kDrainedStep) waitForTheStream();
    if (!act() || !openGates(false)) return false;
    const auto left = m_driver.obstacles(m_step);
    if (!left.empty()) return stop(WalkEnd::GateShut, left);
    m_driver.finish(m_step);
    return true;
  }

  const WalkResult& result() const { return m_result; }

 private:
  bool stop(WalkEnd end, std::vector<Obstacle> obstacles) {
    m_result.end = end;
    m_result.obstacles = std::move(obstacles);
    return false;
  }

  // The driver forgets a stop when its next call begins, so the walk asks for itself.
  void requireGoingOn() const {
    if (m_stop.stop_requested()) throw Cancelled();
  }

  bool resume() {
    const auto interrupted = m_driver.state().interrupted;
    if (!interrupted) return true;
    // The effect may belong to another step than the current one: an undo does.
    for (const Question& question : m_driver.questions(interrupted->step)) {
      if (question.id != "resume") continue;
      const auto given = m_answers.answer(interrupted->step, question);
      if (!given) return stop(WalkEnd::AnswerMissing, m_driver.obstacles(m_step));
      m_driver.answer(interrupted->step, question.id, *given);
    }
    return true;
  }

  bool ask() {
    for (const Question& question : m_driver.questions(m_step)) {
      if (m_driver.state().step(m_step).answers.contains(question.id)) continue;
      const auto given = m_answers.answer(m_step, question);
      if (given) {
        m_driver.answer(m_step, question.id, *given);
      } else if (question.required) {
        return stop(WalkEnd::AnswerMissing, {{question.prompt, {}, question.id, {}}});
      }
    }
    return true;
  }

  void waitForTheStream() {
    const auto end = steady_clock::now() + m_driver.profile().limits.drainTimeout;
    milliseconds wait = kFirstWait;
    while (hasShutGate() && steady_clock::now() < end) {
      sleepUnlessStopped(wait);
      m_driver.measure(m_step);
      wait = std::min(kLongestWait, wait * 3 / 2);
    }
  }

  void sleepUnlessStopped(milliseconds wait) const {
    const auto end = steady_clock::now() + wait;
    while (steady_clock::now() < end) {
      requireGoingOn();
      if (m_driver.stopRequested()) throw Cancelled();
      std::this_thread::sleep_for(milliseconds(50));
    }
  }

  std::vector<Gate> gates() const { return m_driver.state().step(m_step).gates; }

  bool hasShutGate() const {
    for (const Gate& gate : gates()) {
      if (!gate.open()) return true;
    }
    return false;
  }

  // Asks for the waivers that gates permit; with `beforeActing` only the gates count that guard an action.
  bool openGates(bool beforeActing) {
    std::vector<Obstacle> shut;
    for (const Gate& gate : gates()) {
      if (gate.open()) continue;
      if (gate.waivable && gate.result == GateResult::Warn) {
        const auto waiver = m_answers.waive(m_step, gate);
        if (waiver) {
          m_driver.waive(m_step, gate.id, waiver->reason, waiver->secondPerson);
          continue;
        }
      }
      if (!beforeActing || !gate.outcome) shut.push_back({sentences(gate), gate.id, {}, {}});
    }
    return shut.empty() || stop(WalkEnd::GateShut, shut);
  }

  bool act() {
    std::set<std::string> refused;
    for (int round = 0; round < kActionsAtMost; ++round) {
      requireGoingOn();
      if (!openGates(true)) return false;
      const auto next = nextAction(refused);
      if (!next) return true;
      if (!perform(*next, refused)) return false;
    }
    return true;
  }

  std::optional<Action> nextAction(const std::set<std::string>& refused) {
    for (Action& each : m_driver.actions(m_step)) {
      if (!each.done && each.blockedBecause.empty() && !refused.contains(each.id)) return each;
    }
    return {};
  }

  bool perform(const Action& action, std::set<std::string>& refused) {
    if (action.writes && !m_driver.state().armed) {
      if (m_driver.banner().dryRun || !m_answers.arm(m_driver.banner())) {
        return stop(WalkEnd::NotArmed, {{action.title, {}, {}, action.id}});
      }
      m_driver.arm();
    }
    const auto typed = m_answers.confirm(m_step, action);
    if (typed) {
      m_driver.perform(m_step, action.id, *typed);
      return true;
    }
    if (action.required) return stop(WalkEnd::ActionRefused, {{action.title, {}, {}, action.id}});
    refused.insert(action.id);
    return true;
  }

  RunDriver& m_driver;
  AnswerSource& m_answers;
  int m_step;
  std::stop_token m_stop;
  WalkResult m_result;
};

}  // namespace

WalkResult walk(RunDriver& driver, AnswerSource& answers, std::stop_token stop) {
  // A stop that was meant for an earlier call on this driver does not count.
  for (bool first = true; driver.state().phase == RunPhase::Open; first = false) {
    if (!first && driver.stopRequested()) throw Cancelled();
    StepWalk step(driver, answers, driver.currentStep(), stop);
    if (!step.run()) return step.result();
  }
  return {WalkEnd::Finished, kSteps, {}};
}

}  // namespace tidemark::runbook
