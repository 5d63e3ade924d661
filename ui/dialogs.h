#pragma once

#include <QDialog>

#include "runbook/run_state.h"

class QLineEdit;
class QPushButton;

namespace tidemark::ui {

/// Shows an action before it is done: statement, rows, whether it can be undone; asks for the text to type where the
/// action wants one. Cancel is the default; the button says verb, count and object.
class ActionDialog : public QDialog {
  Q_OBJECT

 public:
  ActionDialog(const runbook::Action& action, const QString& target, QWidget* parent = nullptr);
  std::string typed() const;

 private:
  QLineEdit* m_typed = nullptr;
};

/// Asks for reason and second person of a waiver.
class WaiverDialog : public QDialog {
  Q_OBJECT

 public:
  WaiverDialog(const runbook::Gate& gate, QWidget* parent = nullptr);
  std::string reason() const;
  std::string secondPerson() const;

 private:
  QLineEdit* m_reason;
  QLineEdit* m_second;
};

/// Says what arming means and names the table that may be written to from then on.
class ArmDialog : public QDialog {
  Q_OBJECT

 public:
  ArmDialog(const QString& target, QWidget* parent = nullptr);
};

}  // namespace tidemark::ui
