#pragma once

#include <vector>

#include <QWidget>

#include "ui/run_view.h"

class QPushButton;
class QVBoxLayout;

namespace tidemark::ui {

/// What the step can do: each action with its exact statement, rows, whether it can be undone, and a button. A button
/// that is off has its reason beside it.
class ActionList : public QWidget {
  Q_OBJECT

 public:
  explicit ActionList(QWidget* parent = nullptr);
  /// `shutBecause`: why nothing can be performed now whatever the action, or empty.
  void show(const RunView& view, const QString& shutBecause);
  /// While work runs no button can be pressed; nothing is drawn anew.
  void setBusy(bool busy);
  /// The first button that can be pressed and is not done yet, or null.
  QPushButton* firstOpen() const;
  bool reveal(const std::string& action);
  /// In reading order, for the tab chain.
  std::vector<QWidget*> tabStops() const { return m_tabStops; }

 signals:
  void performWanted(const tidemark::runbook::Action& action);

 private:
  void addAction(const runbook::Action& action, const QString& reason);

  QVBoxLayout* m_layout;
  QString m_shown;
  bool m_busy = false;
  std::vector<QWidget*> m_tabStops;
};

}  // namespace tidemark::ui
