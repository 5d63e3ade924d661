#include "ui/step_page.h"

#include <QFontDatabase>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "runbook/step.h"
#include "ui/gate_table.h"
#include "ui/question_form.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

QLabel* heading(const QString& words, QWidget* parent) {
  auto* label = new QLabel(words, parent);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  return label;
}

QLabel* wrapped(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

void clear(QLayout* layout) {
  while (auto* item = layout->takeAt(0)) {
    if (auto* widget = item->widget()) widget->deleteLater();
    delete item;
  }
}

}  // namespace

StepPage::StepPage(QWidget* parent)
    : QWidget(parent),
      m_title(heading(QString(), this)),
      m_purpose(wrapped(this)),
      m_interrupted(wrapped(this)),
      m_acceptInterrupted(new QPushButton(tr("Go &on with what was found"), this)),
      m_failure(wrapped(this)),
      m_questions(new QuestionForm(this)),
      m_gatesHeading(heading(tr("Gates"), this)),
      m_gates(new GateTable(this)),
      m_actions(new QVBoxLayout),
      m_obstacles(wrapped(this)),
      m_measure(new QPushButton(tr("&Measure gates"), this)),
      m_finish(new QPushButton(tr("&Finish step"), this)),
      m_skip(new QPushButton(tr("Step does not a&pply"), this)) {
  m_title->setObjectName("stepTitle");
  QFont large = m_title->font();
  large.setPointSizeF(large.pointSizeF() * 1.35);
  m_title->setFont(large);
  m_failure->setObjectName("failureLabel");
  m_failure->setFrameShape(QFrame::StyledPanel);
  m_failure->setMargin(8);
  m_failure->hide();
  m_interrupted->setObjectName("interruptedLabel");
  m_interrupted->setFrameShape(QFrame::StyledPanel);
  m_interrupted->setMargin(8);
  m_acceptInterrupted->setObjectName("acceptInterruptedButton");
  m_measure->setObjectName("measureButton");
  m_finish->setObjectName("finishButton");
  m_skip->setObjectName("skipButton");
  m_obstacles->setObjectName("obstaclesLabel");

  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_measure);
  buttons->addStretch(1);
  buttons->addWidget(m_skip);
  buttons->addWidget(m_finish);

  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(10);
  layout->addWidget(m_title);
  layout->addWidget(m_purpose);
  layout->addWidget(m_interrupted);
  layout->addWidget(m_acceptInterrupted, 0, Qt::AlignLeft);
  layout->addWidget(m_failure);
  layout->addWidget(m_questions);
  layout->addWidget(m_gatesHeading);
  layout->addWidget(m_gates);
  layout->addLayout(m_actions);
  layout->addWidget(m_obstacles);
  layout->addLayout(buttons);
  layout->addStretch(1);

  connect(m_questions, &QuestionForm::answered, this,
          [this](const QString& id, const QString& value) { emit answered(m_view.shownStep, id, value); });
  connect(m_measure, &QPushButton::clicked, this, [this] { emit measureWanted(m_view.shownStep); });
  connect(m_finish, &QPushButton::clicked, this, [this] { emit finishWanted(m_view.shownStep); });
  connect(m_skip, &QPushButton::clicked, this, [this] { emit skipWanted(m_view.shownStep); });
  connect(m_acceptInterrupted, &QPushButton::clicked, this, &StepPage::resumeWanted);
  connect(m_gates, &GateTable::waiverWanted, this, [this](const QString& id) {
    const auto* gate = m_view.state.step(m_view.shownStep).gate(id.toStdString());
    if (gate != nullptr) emit waiverWanted(m_view.shownStep, *gate);
  });
}

void StepPage::show(const RunView& view) {
  if (view.shownStep != m_view.shownStep) clearFailure();
  m_view = view;
  const auto& step = view.state.step(view.shownStep);
  const auto& info = runbook::stepInfos().at(static_cast<std::size_t>(view.shownStep - 1));
  m_title->setText(
      tr("Step %1: %2 (%3)").arg(view.shownStep).arg(text(info.title), lookOf(step.status, palette()).word));
  QString purpose = text(info.purpose);
  if (!step.skippedBecause.empty()) purpose += "\n" + tr("Does not apply: %1").arg(text(step.skippedBecause));
  m_purpose->setText(purpose);
  const auto& interrupted = view.state.interrupted;
  m_interrupted->setVisible(interrupted.has_value());
  m_acceptInterrupted->setVisible(interrupted.has_value());
  if (interrupted) {
    m_interrupted->setText(
        tr("Interrupted in step %1 while it did this, announced at %2:\n%3\nWhat was found: %4")
            .arg(interrupted->step)
            .arg(text(interrupted->announcedAt), text(interrupted->statement),
                 interrupted->outcome.empty() ? tr("not measured yet") : text(interrupted->outcome)));
  }
  const bool current = view.shownStep == view.state.currentStep() && view.state.phase == runbook::RunPhase::Open;
  m_questions->show(view.shownStep, view.questions, step.answers, current);
  m_questions->setVisible(!view.questions.empty());
  m_gates->show(step.gates);
  m_gates->setVisible(!step.gates.empty());
  m_gatesHeading->setVisible(!step.gates.empty());
  showActions(view.actions);
  showObstacles(view);
  refreshButtons();
}

void StepPage::setBusy(bool busy) {
  m_busy = busy;
  refreshButtons();
}

void StepPage::showFailure(const Failure& failure) {
  QString words = failure.inDoubt ? tr("In doubt: %1").arg(text(failure.message)) : text(failure.message);
  if (!failure.hint.empty()) words += "\n" + tr("What to do: %1").arg(text(failure.hint));
  words += "\n" + tr("Details: %1 %2").arg(text(failure.code), text(failure.technical));
  m_failure->setText("✗ " + words);
  m_failure->setAccessibleName(words);
  m_failure->show();
}

void StepPage::clearFailure() {
  m_failure->hide();
}

void StepPage::showActions(const std::vector<runbook::Action>& actions) {
  clear(m_actions);
  for (const auto& action : actions) {
    auto* box = new QFrame(this);
    box->setFrameShape(QFrame::StyledPanel);
    auto* layout = new QVBoxLayout(box);
    QString line = text(action.title);
    if (action.rows) {
      line += (action.rowsExact ? tr(" (exactly %1 rows)") : tr(" (about %1 rows)")).arg(grouped(*action.rows));
    }
    layout->addWidget(heading(line, box));
    if (!action.statement.empty()) {
      auto* statement = new QPlainTextEdit(text(action.statement), box);
      statement->setReadOnly(true);
      statement->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
      statement->setAccessibleName(tr("Exact statement of: %1").arg(text(action.title)));
      statement->setTabChangesFocus(true);
      const auto lines = std::min<qsizetype>(8, text(action.statement).count('\n') + 2);
      statement->setFixedHeight(static_cast<int>(lines) * statement->fontMetrics().lineSpacing() + 14);
      layout->addWidget(statement);
    }
    if (!action.reverse.empty() || !action.reversible) {
      auto* reverse = wrapped(box);
      reverse->setText(action.reversible ? tr("Can be undone: %1").arg(text(action.reverse))
                                         : tr("Cannot be undone. %1").arg(text(action.reverse)));
      layout->addWidget(reverse);
    }
    auto* row = new QHBoxLayout;
    auto* why = wrapped(box);
    const auto& state = m_view.state;
    QString reason = text(action.blockedBecause);
    if (reason.isEmpty() && action.writes && !state.armed) reason = tr("The run is not armed: it writes nothing yet.");
    why->setText(action.done ? tr("✓ Done. It may be done again.") : reason);
    auto* button = new QPushButton(
        action.writes || !action.confirmation.empty() ? text(action.title) + "…" : text(action.title), box);
    button->setObjectName("perform_" + text(action.id));
    button->setProperty("blocked", !reason.isEmpty() || m_view.shownStep != state.currentStep());
    row->addWidget(why, 1);
    row->addWidget(button);
    layout->addLayout(row);
    connect(button, &QPushButton::clicked, this, [this, action] { emit performWanted(m_view.shownStep, action); });
    m_actions->addWidget(box);
  }
}

void StepPage::showObstacles(const RunView& view) {
  const auto& step = view.state.step(view.shownStep);
  QStringList lines;
  if (step.status == runbook::StepStatus::Pending || step.status == runbook::StepStatus::Running ||
      step.status == runbook::StepStatus::Failed) {
    for (const auto& obstacle : view.obstacles) lines << "• " + text(obstacle.text);
  }
  if (view.shownStep > view.state.currentStep()) {
    lines = {tr("Comes after step %1.").arg(view.state.currentStep())};
  }
  m_obstacles->setText(lines.isEmpty() ? QString() : tr("Not finished yet:") + "\n" + lines.join('\n'));
  m_obstacles->setVisible(!lines.isEmpty());
}

void StepPage::refreshButtons() {
  const auto& state = m_view.state;
  const bool open = !state.runId.empty() && state.phase == runbook::RunPhase::Open;
  const bool current = open && m_view.shownStep == state.currentStep() && !state.interrupted;
  m_measure->setEnabled(current && !m_busy && m_view.doesNotApply.empty());
  m_finish->setEnabled(current && !m_busy && m_view.obstacles.empty() && m_view.doesNotApply.empty());
  m_skip->setVisible(!m_view.doesNotApply.empty() && current);
  m_skip->setEnabled(!m_busy);
  m_acceptInterrupted->setEnabled(!m_busy);
  for (auto* button : findChildren<QPushButton*>()) {
    if (!button->objectName().startsWith("perform_")) continue;
    button->setEnabled(current && !m_busy && !button->property("blocked").toBool());
  }
}

}  // namespace tidemark::ui
