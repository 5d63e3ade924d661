#pragma once

#include <QDialog>
#include <QStringList>

#include "runbook/run_state.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace tidemark::ui {

/// What a dialog says before something is done, and what it asks for.
struct Confirmation {
  QString name;         ///< Object name of the dialog.
  QString title;        ///< Of the window.
  QString target;       ///< Tables, host and environment that it is about; empty when it touches none.
  QStringList facts;    ///< One paragraph each.
  QString statement;    ///< Exactly what will run, or empty.
  QString typed;        ///< Text that has to be typed, or empty.
  bool reason = false;  ///< Asks for a reason.
  QString accept;       ///< The button: verb, count and object.
  QString shutBecause;  ///< Not empty: the button stays off, for this reason.
};

Confirmation actionConfirmation(const runbook::Action& action, const QString& target);
Confirmation armConfirmation(const QString& target);
Confirmation reopenConfirmation(int step, const QString& title);
/// `table`: the sink table's name, to be typed. `rows`: marked by the sweep.
Confirmation undoConfirmation(const QString& target, const QString& table, std::uint64_t rows,
                              const QString& shutBecause);
Confirmation abandonConfirmation(const QString& target, const QString& table);
Confirmation closeConfirmation();

/// Asks once, in its own words: Cancel is the default, Escape cancels, and the other button says what it does and is
/// off until what was asked for stands there.
class ConfirmDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ConfirmDialog(const Confirmation& asked, QWidget* parent = nullptr);
  std::string typed() const;
  std::string reason() const;

 private:
  void addStatement(const QString& statement, QVBoxLayout* layout);
  void addFields(const Confirmation& asked, QVBoxLayout* layout);
  void refresh();

  QString m_wanted;
  QString m_shutBecause;
  QLineEdit* m_typed = nullptr;
  QLineEdit* m_reason = nullptr;
  QLabel* m_why = nullptr;
  QPushButton* m_accept = nullptr;
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

}  // namespace tidemark::ui
