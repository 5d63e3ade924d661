#pragma once

#include <functional>

#include "tests/gui/gui_run.h"

namespace tidemark::test {

/// Goes through the steps of the run that the window shows, by its buttons, fields and dialogs alone.
class WindowWalk {
 public:
  explicit WindowWalk(GuiRun& gui) : m_gui(gui) {}

  /// Called where a picture is worth taking: "measured", "dialog", "ready".
  std::function<void(int step, const QString& stage)> onStage = [](int, const QString&) {};

  /// From the current step up to and without `end`; 16 goes on until the run is finished.
  void until(int end);

 private:
  void doStep(int step);
  void answerQuestions(int step);
  void waitForTheStream();
  void waive(int step);
  bool performNext(int step);
  void confirmDialog(int step, const QString& typed);

  GuiRun& m_gui;
};

}  // namespace tidemark::test
