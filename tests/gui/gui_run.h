#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <QDialog>
#include <QString>
#include <QWidget>

#include "engine/simulator/demo_world.h"
#include "ui/main_window.h"
#include "ui/run_controller.h"

namespace tidemark::test {

/// A small demo: the same hazards, a few seconds a run.
DemoOptions smallDemo();

/// The console's window over a run folder, as an operator has it: what can be clicked is clicked, what can be typed is
/// typed. Functions throw std::runtime_error with what was wrong with the window. UI thread.
class GuiRun {
 public:
  /// `factory` empty: the program's own environment on the small demo in `folder`/demo.
  explicit GuiRun(std::filesystem::path folder, ui::RunController::EnvironmentFactory factory = {});
  ~GuiRun();

  ui::MainWindow& window() { return *m_window; }
  ui::RunController& controller() { return *m_controller; }
  /// What the window was last told to show.
  const ui::RunView& view() const { return m_view; }
  std::filesystem::path runFolder() const { return m_folder / "runs"; }
  runbook::Profile demoProfile() const;
  std::size_t failures() const { return m_failures; }
  const ui::Failure& lastFailure() const { return m_lastFailure; }

  /// As closing the program and starting it again: the run is let go, and a new window stands there.
  void restart();

  void waitIdle();
  /// Polls for a condition while events run; throws with `what` when it never comes.
  void waitFor(const std::function<bool()>& condition, const QString& what);

  /// A widget that the operator can see, by object name; null when there is none.
  template <class Widget = QWidget>
  Widget* find(const QString& name) {
    const std::array<QWidget*, 2> places{openDialog(), m_window.get()};
    for (QWidget* top : places) {
      if (top == nullptr) continue;
      for (auto* each : top->findChildren<Widget*>(name)) {
        if (each->isVisible()) return each;
      }
    }
    return nullptr;
  }
  /// Clicks a button with the mouse and waits for what it began. Throws when it is missing or off.
  void click(const QString& button);
  /// The same, without waiting.
  void press(const QString& button);
  void type(const QString& field, const QString& words);
  /// Puts a value into a question's field and presses its button.
  void answer(const QString& question, const QString& value);
  QDialog* openDialog() const;

 private:
  void open();
  template <class Widget>
  Widget& need(const QString& name);

  std::filesystem::path m_folder;
  ui::RunController::EnvironmentFactory m_factory;
  std::unique_ptr<ui::RunController> m_controller;
  std::unique_ptr<ui::MainWindow> m_window;
  ui::RunView m_view;
  ui::Failure m_lastFailure;
  std::size_t m_failures = 0;
};

/// Runs `work`; the text of what it threw, or empty.
QString problemOf(const std::function<void()>& work);

}  // namespace tidemark::test
