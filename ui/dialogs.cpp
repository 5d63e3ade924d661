#include "ui/dialogs.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

/// The row of buttons that every dialog ends with: Cancel is default, the other one says what it does.
QPushButton* addButtons(QDialog* dialog, QVBoxLayout* layout, const QString& doIt) {
  auto* buttons = new QDialogButtonBox(dialog);
  auto* cancel = buttons->addButton(QDialogButtonBox::Cancel);
  auto* accept = buttons->addButton(doIt, QDialogButtonBox::AcceptRole);
  accept->setObjectName("acceptButton");
  accept->setAutoDefault(false);
  accept->setDefault(false);
  cancel->setDefault(true);
  cancel->setAutoDefault(true);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  layout->addWidget(buttons);
  return accept;
}

QLabel* wrapped(const QString& words, QWidget* parent) {
  auto* label = new QLabel(words, parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  return label;
}

}  // namespace

ActionDialog::ActionDialog(const runbook::Action& action, const QString& target, QWidget* parent) : QDialog(parent) {
  setObjectName("actionDialog");
  setWindowTitle(text(action.title));
  setMinimumWidth(640);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(wrapped(text(action.title), this));
  layout->addWidget(wrapped(tr("On: %1").arg(target), this));
  auto* statement = new QPlainTextEdit(text(action.statement), this);
  statement->setReadOnly(true);
  statement->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  statement->setAccessibleName(tr("Exact statement"));
  statement->setVisible(!action.statement.empty());
  layout->addWidget(statement);
  if (action.rows) {
    layout->addWidget(
        wrapped((action.rowsExact ? tr("Rows: exactly %1") : tr("Rows: about %1")).arg(grouped(*action.rows)), this));
  }
  layout->addWidget(wrapped(action.reversible ? tr("Can be undone: %1").arg(text(action.reverse))
                                              : tr("Cannot be undone. %1").arg(text(action.reverse)),
                            this));
  const std::string wanted = action.confirmation;
  if (!wanted.empty()) {
    auto* label = wrapped(tr("Type %1 to go on:").arg(text(wanted)), this);
    m_typed = new QLineEdit(this);
    m_typed->setObjectName("confirmTargetLineEdit");
    m_typed->setAccessibleName(label->text());
    label->setBuddy(m_typed);
    layout->addWidget(label);
    layout->addWidget(m_typed);
  }
  auto* accept = addButtons(this, layout, text(action.title));
  if (m_typed != nullptr) {
    accept->setEnabled(false);
    connect(m_typed, &QLineEdit::textChanged, this,
            [accept, wanted](const QString& typed) { accept->setEnabled(typed.trimmed() == text(wanted)); });
  }
}

std::string ActionDialog::typed() const {
  return m_typed == nullptr ? std::string() : m_typed->text().toStdString();
}

WaiverDialog::WaiverDialog(const runbook::Gate& gate, QWidget* parent)
    : QDialog(parent), m_reason(new QLineEdit(this)), m_second(new QLineEdit(this)) {
  setObjectName("waiverDialog");
  setWindowTitle(tr("Waive a warning"));
  setMinimumWidth(520);
  m_reason->setObjectName("waiverReasonLineEdit");
  m_second->setObjectName("waiverSecondLineEdit");
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(wrapped(text(gate.title) + ": " + text(gate.measured), this));
  layout->addWidget(wrapped(text(gate.hint), this));
  layout->addWidget(wrapped(tr("The waiver stays visible to the end and stands in the report."), this));
  auto* form = new QFormLayout;
  form->addRow(tr("&Reason:"), m_reason);
  form->addRow(tr("&Second person who agrees:"), m_second);
  layout->addLayout(form);
  auto* accept = addButtons(this, layout, tr("Waive this warning"));
  accept->setEnabled(false);
  const auto check = [this, accept] {
    accept->setEnabled(!m_reason->text().trimmed().isEmpty() && !m_second->text().trimmed().isEmpty());
  };
  connect(m_reason, &QLineEdit::textChanged, this, check);
  connect(m_second, &QLineEdit::textChanged, this, check);
}

std::string WaiverDialog::reason() const {
  return m_reason->text().trimmed().toStdString();
}
std::string WaiverDialog::secondPerson() const {
  return m_second->text().trimmed().toStdString();
}

ArmDialog::ArmDialog(const QString& target, QWidget* parent) : QDialog(parent) {
  setObjectName("armDialog");
  setWindowTitle(tr("Arm the run"));
  setMinimumWidth(520);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(wrapped(tr("Until now nothing was written. An armed run may write to:"), this));
  layout->addWidget(wrapped(target, this));
  layout->addWidget(
      wrapped(tr("Every write is still shown before it happens. Arming is journalled, and lapses when the "
                 "run is opened again."),
              this));
  addButtons(this, layout, tr("Arm this run"));
}

}  // namespace tidemark::ui
