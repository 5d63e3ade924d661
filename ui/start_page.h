#pragma once

#include <QWidget>

#include "ui/run_view.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace tidemark::ui {

class FailurePanel;

/// What the window shows while no run is open: go on with a run, begin one from a profile, or try the demo.
class StartPage : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent = nullptr);
  void showRuns(const RunList& list);
  void showFailure(const Failure& failure);
  void clearFailure();
  void setBusy(bool busy);
  /// Whether the run that is begun or opened next may be armed.
  bool dryRun() const;

 signals:
  void demoWanted();
  void profileWanted();
  void runWanted(const QString& runId);

 private:
  void openChosen();
  /// Keyboard order, and what the buttons do.
  void connectParts();
  void refreshButtons();
  QString chosenRun() const;

  bool m_busy = false;
  FailurePanel* m_failure;
  QTableWidget* m_runs;
  QLabel* m_noRuns;
  QCheckBox* m_dryRun;
  QLabel* m_why;
  QPushButton* m_open;
  QPushButton* m_demo;
  QPushButton* m_begin;
};

}  // namespace tidemark::ui
