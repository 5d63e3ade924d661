#pragma once

#include <QListWidget>

#include "runbook/run_state.h"

namespace tidemark::ui {

/// All fifteen steps, always visible: number, title, word, icon and duration.
class StepList : public QListWidget {
  Q_OBJECT

 public:
  explicit StepList(QWidget* parent = nullptr);

  /// Shows the state; scrolls to `shown` and marks it.
  void show(const runbook::RunState& state, int shown);

 signals:
  void stepChosen(int step);
};

}  // namespace tidemark::ui
