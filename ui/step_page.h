#pragma once

#include <QPointer>
#include <QWidget>

#include "ui/run_view.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace tidemark::ui {

class ActionList;
class FailurePanel;
class GateTable;
class ObstacleList;
class QuestionForm;
class StepNotice;

/// One step: what it is for, its questions, gates and actions, and why it cannot be finished yet. The buttons that
/// measure and finish stand below the page and do not scroll away.
class StepPage : public QWidget {
  Q_OBJECT

 public:
  explicit StepPage(QWidget* parent = nullptr);
  void show(const RunView& view);
  void setBusy(bool busy);
  void showFailure(const Failure& failure);
  void clearFailure();
  /// Ages of gates as they are now; a gate that went stale shuts.
  void refreshAges();
  /// Performs the one next thing that the page offers: an action, finishing, or measuring.
  void performPrimary();
  /// As the button does: nothing while it is off.
  void measure();
  int shownStep() const { return m_view.shownStep; }

 signals:
  void answered(int step, const QString& question, const QString& value);
  void measureWanted(int step);
  void performWanted(int step, const tidemark::runbook::Action& action);
  void waiverWanted(int step, const tidemark::runbook::Gate& gate);
  void finishWanted(int step);
  void skipWanted(int step);
  void reopenWanted(int step);
  void resumeWanted();
  void reportWanted();

 private:
  void layOut();
  void connectParts();
  void orderTabs();
  void showHeader();
  void refresh();
  void refreshFooter();
  void reveal(const runbook::Obstacle& obstacle);
  /// Why nothing on this page can be done now, or empty.
  QString shutBecause() const;
  bool isOpenStep() const;
  std::vector<runbook::Obstacle> obstaclesNow() const;

  RunView m_view;
  bool m_busy = false;
  QString m_focusBefore;
  QPointer<QWidget> m_focusWhileBusy;
  std::vector<runbook::Obstacle> m_obstaclesShown;
  QScrollArea* m_area;
  QWidget* m_body;
  QLabel* m_mark;
  QLabel* m_title;
  QLabel* m_state;
  QLabel* m_purpose;
  StepNotice* m_notice;
  FailurePanel* m_failure;
  QLabel* m_questionsHeading;
  QuestionForm* m_questions;
  QLabel* m_gatesHeading;
  GateTable* m_gates;
  QLabel* m_gatesEmpty;
  ActionList* m_actions;
  ObstacleList* m_obstacles;
  QLabel* m_reason;
  QPushButton* m_measure;
  QPushButton* m_reopen;
  QPushButton* m_skip;
  QPushButton* m_finish;
};

}  // namespace tidemark::ui
