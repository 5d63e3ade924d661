#pragma once

#include <QWidget>

#include "ui/run_view.h"

class QFormLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tidemark::ui {

class GateTable;
class QuestionForm;

/// One step: what it is for, its questions, gates and actions, and why it cannot be finished yet.
class StepPage : public QWidget {
  Q_OBJECT

 public:
  explicit StepPage(QWidget* parent = nullptr);
  void show(const RunView& view);
  void setBusy(bool busy);
  void showFailure(const Failure& failure);
  void clearFailure();

 signals:
  void answered(int step, const QString& question, const QString& value);
  void measureWanted(int step);
  void performWanted(int step, const tidemark::runbook::Action& action);
  void waiverWanted(int step, const tidemark::runbook::Gate& gate);
  void finishWanted(int step);
  void skipWanted(int step);
  void resumeWanted();

 private:
  void showActions(const std::vector<runbook::Action>& actions);
  void showObstacles(const RunView& view);
  void refreshButtons();

  RunView m_view;
  bool m_busy = false;
  QLabel* m_title;
  QLabel* m_purpose;
  QLabel* m_interrupted;
  QPushButton* m_acceptInterrupted;
  QLabel* m_failure;
  QuestionForm* m_questions;
  QLabel* m_gatesHeading;
  GateTable* m_gates;
  QVBoxLayout* m_actions;
  QLabel* m_obstacles;
  QPushButton* m_measure;
  QPushButton* m_finish;
  QPushButton* m_skip;
};

}  // namespace tidemark::ui
