#include "tests/gui/window_walk.h"

#include <stdexcept>

#include <QAbstractButton>
#include <QTest>

#include "ui/status_look.h"

namespace tidemark::test {

using ui::text;

namespace {

constexpr int kDrainedStep = 10;
constexpr int kRounds = 200;
constexpr int kActionsAtMost = 12;

std::string valueFor(const runbook::Question& question) {
  if (!question.expected.empty()) return question.expected;
  if (!question.defaultValue.empty()) return question.defaultValue;
  for (const auto& choice : question.choices) {
    if (choice.notBecause.empty()) return choice.value;
  }
  return question.kind == runbook::QuestionKind::Number ? "0" : "pager rotation 7";
}

}  // namespace

void WindowWalk::until(int end) {
  while (m_gui.view().state.phase == runbook::RunPhase::Open) {
    const int step = m_gui.view().state.currentStep();
    if (step >= end) return;
    doStep(step);
    const bool moved = m_gui.view().state.currentStep() > step || m_gui.view().state.phase != runbook::RunPhase::Open;
    if (!moved) throw std::runtime_error("step " + std::to_string(step) + " was not finished");
  }
}

void WindowWalk::doStep(int step) {
  if (m_gui.find("acceptInterruptedButton") != nullptr) m_gui.click("acceptInterruptedButton");
  if (m_gui.find("skipButton") != nullptr) {
    m_gui.click("skipButton");
    return;
  }
  m_gui.click("measureButton");
  onStage(step, "measured");
  answerQuestions(step);
  m_gui.click("measureButton");
  if (step == kDrainedStep) waitForTheStream();
  for (int round = 0; round < kActionsAtMost; ++round) {
    waive(step);
    if (!performNext(step)) break;
  }
  onStage(step, "ready");
  m_gui.click("finishButton");
}

void WindowWalk::answerQuestions(int step) {
  const auto questions = m_gui.view().questions;
  for (const auto& question : questions) {
    if (!question.required || m_gui.view().state.step(step).answers.contains(question.id)) continue;
    m_gui.answer(text(question.id), text(valueFor(question)));
  }
}

void WindowWalk::waitForTheStream() {
  const auto finishIsOn = [this] {
    const auto* finish = m_gui.find<QAbstractButton>("finishButton");
    return finish != nullptr && finish->isEnabled();
  };
  for (int round = 0; round < kRounds && !finishIsOn(); ++round) {
    QTest::qWait(100);
    m_gui.click("measureButton");
  }
}

void WindowWalk::waive(int) {
  for (auto* button : m_gui.window().findChildren<QAbstractButton*>()) {
    if (!button->objectName().startsWith("waive_") || !button->isVisible()) continue;
    m_gui.press(button->objectName());
    m_gui.type("waiverReasonLineEdit", "the demo's own tables");
    m_gui.type("waiverSecondLineEdit", "second reviewer");
    m_gui.click("acceptButton");
    return waive(0);
  }
}

bool WindowWalk::performNext(int step) {
  const auto actions = m_gui.view().actions;
  for (const auto& action : actions) {
    if (action.done || !action.blockedBecause.empty()) continue;
    if (action.writes && !m_gui.view().state.armed) {
      m_gui.press("armButton");
      confirmDialog(step, {});
    }
    m_gui.press("perform_" + text(action.id));
    if (m_gui.openDialog() != nullptr) confirmDialog(step, text(action.confirmation));
    m_gui.waitIdle();
    return true;
  }
  return false;
}

void WindowWalk::confirmDialog(int step, const QString& typed) {
  m_gui.waitFor([this] { return m_gui.openDialog() != nullptr; }, "no dialog opens");
  if (!typed.isEmpty()) m_gui.type("confirmTargetLineEdit", typed);
  onStage(step, "dialog_" + m_gui.openDialog()->objectName());
  m_gui.click("acceptButton");
  m_gui.waitFor([this] { return m_gui.openDialog() == nullptr; }, "the dialog does not close");
}

}  // namespace tidemark::test
