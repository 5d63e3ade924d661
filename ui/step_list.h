#pragma once

#include <QListWidget>

#include "runbook/run_state.h"

namespace tidemark::ui {

/// All fifteen steps, always visible: number, title, word, icon and duration.
class StepList : public QListWidget {
  Q_OBJECT

 public:
  explicit StepList(QWidget* parent = nullptr);

  /// Shows the state; marks `shown` and scrolls to it.
  void show(const runbook::RunState& state, int shown);
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

 signals:
  void stepChosen(int step);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  int widthFor(const QString& duration) const;
  void fitIcons();
};

}  // namespace tidemark::ui
