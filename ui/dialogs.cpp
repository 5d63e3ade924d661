#include "ui/dialogs.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

constexpr int kDialogWidth = 560;
constexpr int kStatementLines = 8;

/// The row of buttons that every dialog ends with: Cancel is the default, the other one says what it does.
QPushButton* addButtons(QDialog* dialog, QVBoxLayout* layout, const QString& doIt) {
  auto* buttons = new QDialogButtonBox(dialog);
  auto* cancel = buttons->addButton(QDialogButtonBox::Cancel);
  auto* accept = buttons->addButton(doIt, QDialogButtonBox::AcceptRole);
  cancel->setObjectName("cancelButton");
  accept->setObjectName("acceptButton");
  accept->setAutoDefault(false);
  accept->setDefault(false);
  cancel->setDefault(true);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  layout->addSpacing(kGap);
  layout->addWidget(buttons);
  return accept;
}

QVBoxLayout* pageOf(QDialog* dialog) {
  auto* layout = new QVBoxLayout(dialog);
  layout->setContentsMargins(kPageMargin, kPageMargin, kPageMargin, kPageMargin);
  layout->setSpacing(kGap);
  dialog->setMinimumWidth(kDialogWidth);
  return layout;
}

QLineEdit* addField(const QString& words, const char* name, QVBoxLayout* layout, QWidget* parent) {
  auto* label = new QLabel(words, parent);
  label->setWordWrap(true);
  auto* field = new QLineEdit(parent);
  field->setObjectName(name);
  label->setBuddy(field);
  layout->addWidget(label);
  layout->addWidget(field);
  return field;
}

}  // namespace

Confirmation actionConfirmation(const runbook::Action& action, const QString& target) {
  Confirmation asked;
  asked.name = "actionDialog";
  asked.title = text(action.title);
  asked.target = target;
  asked.statement = text(action.statement);
  if (action.rows) {
    asked.facts << (action.rowsExact ? ConfirmDialog::tr("Rows: exactly %1") : ConfirmDialog::tr("Rows: about %1"))
                       .arg(grouped(*action.rows));
  }
  if (!action.reversible) {
    asked.facts << ConfirmDialog::tr("Cannot be undone. %1").arg(text(action.reverse));
  } else if (!action.reverse.empty()) {
    asked.facts << ConfirmDialog::tr("Can be undone: %1").arg(text(action.reverse));
  }
  asked.typed = text(action.confirmation);
  asked.accept = text(action.title);
  return asked;
}

Confirmation armConfirmation(const QString& target) {
  Confirmation asked;
  asked.name = "armDialog";
  asked.title = ConfirmDialog::tr("Arm the run");
  asked.target = target;
  asked.facts << ConfirmDialog::tr("Until now nothing was written. An armed run may write to the sink.")
              << ConfirmDialog::tr(
                     "Every write is still shown before it happens. Arming is written to the journal, and "
                     "lapses when the run is opened again.");
  asked.accept = ConfirmDialog::tr("Arm this run");
  return asked;
}

Confirmation reopenConfirmation(int step, const QString& title) {
  Confirmation asked;
  asked.name = "reopenDialog";
  asked.title = ConfirmDialog::tr("Open a step again");
  asked.facts << ConfirmDialog::tr("Step %1, %2, and every step after it become pending and are gone through again.")
                     .arg(step)
                     .arg(title)
              << ConfirmDialog::tr("What they have written stays, and so does their evidence in the journal.");
  asked.reason = true;
  asked.accept = ConfirmDialog::tr("Open step %1 again").arg(step);
  return asked;
}

Confirmation undoConfirmation(const QString& target, const QString& table, std::uint64_t rows,
                              const QString& shutBecause) {
  Confirmation asked;
  asked.name = "undoDialog";
  asked.title = ConfirmDialog::tr("Undo the sweep");
  asked.target = target;
  asked.facts << ConfirmDialog::tr("Rows that this run's sweep marked as deleted: %1").arg(grouped(rows))
              << ConfirmDialog::tr(
                     "Rows whose marker is untouched get back what they held before the sweep. Keys that have "
                     "changed since are read again at the source.");
  asked.typed = table;
  asked.accept = ConfirmDialog::tr("Put back %1 rows in %2").arg(grouped(rows), table);
  asked.shutBecause = shutBecause;
  return asked;
}

Confirmation abandonConfirmation(const QString& target, const QString& table) {
  Confirmation asked;
  asked.name = "abandonDialog";
  asked.title = ConfirmDialog::tr("Abandon the run");
  asked.target = target;
  asked.facts << ConfirmDialog::tr("The run ends here and cannot be gone on with. The lock on the table is released.")
              << ConfirmDialog::tr(
                     "What was written stays; journal, evidence and report stay. A sweep can still be undone.");
  asked.typed = table;
  asked.reason = true;
  asked.accept = ConfirmDialog::tr("Abandon the run on %1").arg(table);
  return asked;
}

Confirmation closeConfirmation() {
  Confirmation asked;
  asked.name = "closeDialog";
  asked.title = ConfirmDialog::tr("Work is running");
  asked.facts << ConfirmDialog::tr(
                     "The work is stopped after the batch that is being committed, then the window closes. What "
                     "is committed stays.")
              << ConfirmDialog::tr("The run can be opened again and goes on from there.");
  asked.accept = ConfirmDialog::tr("Stop the work and close");
  return asked;
}

ConfirmDialog::ConfirmDialog(const Confirmation& asked, QWidget* parent)
    : QDialog(parent), m_wanted(asked.typed), m_shutBecause(asked.shutBecause) {
  setObjectName(asked.name);
  setWindowTitle(asked.title);
  auto* layout = pageOf(this);
  layout->addWidget(heading(asked.title, this));
  if (!asked.target.isEmpty()) layout->addWidget(wrapped(tr("On: %1").arg(asked.target), this));
  if (!asked.statement.isEmpty()) addStatement(asked.statement, layout);
  for (const QString& fact : asked.facts) layout->addWidget(wrapped(fact, this));
  addFields(asked, layout);
  m_why = smallPrint(QString(), this);
  m_why->setObjectName("whyLabel");
  layout->addWidget(m_why);
  layout->addStretch(1);
  m_accept = addButtons(this, layout, asked.accept);
  refresh();
}

void ConfirmDialog::addStatement(const QString& statement, QVBoxLayout* layout) {
  auto* view = new QPlainTextEdit(statement, this);
  view->setObjectName("statementView");
  view->setReadOnly(true);
  view->setTabChangesFocus(true);
  view->setFont(statementFont(this));
  view->setAccessibleName(tr("Exact statement"));
  view->setFixedHeight(view->fontMetrics().lineSpacing() * kStatementLines + 2 * kGap);
  layout->addWidget(view);
}

void ConfirmDialog::addFields(const Confirmation& asked, QVBoxLayout* layout) {
  if (asked.reason) {
    m_reason = addField(tr("&Reason:"), "reasonLineEdit", layout, this);
    connect(m_reason, &QLineEdit::textChanged, this, &ConfirmDialog::refresh);
  }
  if (asked.typed.isEmpty()) return;
  m_typed = addField(tr("&Type %1 to go on:").arg(QString(asked.typed).replace('&', "&&")), "confirmTargetLineEdit",
                     layout, this);
  connect(m_typed, &QLineEdit::textChanged, this, &ConfirmDialog::refresh);
}

void ConfirmDialog::refresh() {
  QString why = m_shutBecause;
  if (why.isEmpty() && m_reason != nullptr && m_reason->text().trimmed().isEmpty()) why = tr("A reason is missing.");
  if (why.isEmpty() && m_typed != nullptr && m_typed->text().trimmed() != m_wanted) {
    why = tr("What is typed is not %1 yet.").arg(m_wanted);
  }
  m_why->setText(why);
  m_why->setVisible(!why.isEmpty());
  m_accept->setEnabled(why.isEmpty());
  m_accept->setAccessibleDescription(why);
}

std::string ConfirmDialog::typed() const {
  return m_typed == nullptr ? std::string() : m_typed->text().toStdString();
}

std::string ConfirmDialog::reason() const {
  return m_reason == nullptr ? std::string() : m_reason->text().trimmed().toStdString();
}

WaiverDialog::WaiverDialog(const runbook::Gate& gate, QWidget* parent) : QDialog(parent) {
  setObjectName("waiverDialog");
  setWindowTitle(tr("Waive a warning"));
  auto* layout = pageOf(this);
  layout->addWidget(heading(text(gate.title), this));
  layout->addWidget(wrapped(tr("Measured: %1").arg(text(gate.measured)), this));
  layout->addWidget(wrapped(text(gate.hint), this));
  layout->addWidget(wrapped(tr("The waiver stays visible to the end and stands in the report."), this));
  m_reason = addField(tr("&Reason:"), "waiverReasonLineEdit", layout, this);
  m_second = addField(tr("&Second person who agrees:"), "waiverSecondLineEdit", layout, this);
  auto* why = smallPrint(tr("Reason and second person are both asked for."), this);
  layout->addWidget(why);
  layout->addStretch(1);
  auto* accept = addButtons(this, layout, tr("Waive this warning"));
  accept->setEnabled(false);
  accept->setAccessibleDescription(why->text());
  const auto check = [this, accept, why] {
    const bool complete = !m_reason->text().trimmed().isEmpty() && !m_second->text().trimmed().isEmpty();
    accept->setEnabled(complete);
    accept->setAccessibleDescription(complete ? QString() : why->text());
    why->setVisible(!complete);
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

}  // namespace tidemark::ui
