#include "ui/step_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include "runbook/clock.h"
#include "runbook/step.h"
#include "ui/action_list.h"
#include "ui/failure_panel.h"
#include "ui/gate_table.h"
#include "ui/obstacle_list.h"
#include "ui/page_parts.h"
#include "ui/question_form.h"
#include "ui/status_look.h"
#include "ui/step_notice.h"

namespace tidemark::ui {

using runbook::StepStatus;

namespace {

constexpr double kTitleScale = 1.35;

QPushButton* button(const QString& words, const char* name, QWidget* parent) {
  auto* made = new QPushButton(words, parent);
  made->setObjectName(name);
  return made;
}

}  // namespace

StepPage::StepPage(QWidget* parent)
    : QWidget(parent),
      m_area(new QScrollArea(this)),
      m_body(new QWidget),
      m_mark(new QLabel(m_body)),
      m_title(heading(QString(), m_body, kTitleScale)),
      m_state(wrapped(QString(), m_body)),
      m_purpose(wrapped(QString(), m_body)),
      m_notice(new StepNotice(m_body)),
      m_failure(new FailurePanel(m_body)),
      m_questionsHeading(heading(tr("Questions"), m_body)),
      m_questions(new QuestionForm(m_body)),
      m_gatesHeading(heading(tr("Gates"), m_body)),
      m_gates(new GateTable(m_body)),
      m_gatesEmpty(wrapped(tr("The gates of this step have not been measured yet."), m_body)),
      m_actions(new ActionList(m_body)),
      m_obstacles(new ObstacleList(m_body)),
      m_reason(new QLabel(this)),
      m_measure(button(tr("&Measure gates"), "measureButton", this)),
      m_reopen(button(tr("Open the step aga&in…"), "reopenButton", this)),
      m_skip(button(tr("S&kip: does not apply"), "skipButton", this)),
      m_finish(button(tr("&Finish step"), "finishButton", this)) {
  m_title->setObjectName("stepTitle");
  m_state->setObjectName("stepState");
  m_reason->setObjectName("reasonLabel");
  m_reason->setTextFormat(Qt::RichText);
  m_reason->setWordWrap(true);
  m_reason->setTextInteractionFlags(Qt::LinksAccessibleByKeyboard | Qt::LinksAccessibleByMouse);
  m_reason->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  // Until a run is shown they would only ask the window for room.
  m_reopen->hide();
  m_skip->hide();
  layOut();
  connectParts();
}

void StepPage::layOut() {
  auto* titleRow = new QHBoxLayout;
  titleRow->setSpacing(kGap);
  titleRow->addWidget(m_mark);
  titleRow->addWidget(m_title, 1);
  auto* body = new QVBoxLayout(m_body);
  body->setContentsMargins(kPageMargin, kPageMargin, kPageMargin, kPageMargin);
  body->setSpacing(kGap);
  body->addLayout(titleRow);
  body->addWidget(m_state);
  body->addWidget(m_purpose);
  body->addWidget(m_notice);
  body->addWidget(m_failure);
  body->addSpacing(kGap);
  body->addWidget(m_questionsHeading);
  body->addWidget(m_questions);
  body->addSpacing(kGap);
  body->addWidget(m_gatesHeading);
  body->addWidget(m_gates);
  body->addWidget(m_gatesEmpty);
  body->addSpacing(kGap);
  body->addWidget(m_actions);
  body->addSpacing(kGap);
  body->addWidget(m_obstacles);
  body->addStretch(1);
  m_area->setObjectName("stepArea");
  m_area->setWidget(m_body);
  m_area->setWidgetResizable(true);
  m_area->setFrameShape(QFrame::NoFrame);
  m_area->setFocusPolicy(Qt::NoFocus);

  auto* footer = new QHBoxLayout;
  footer->setContentsMargins(kPageMargin, kGap, kPageMargin, kGap);
  footer->setSpacing(kGap);
  footer->addWidget(m_measure);
  footer->addWidget(m_reason, 1);
  footer->addWidget(m_reopen);
  footer->addWidget(m_skip);
  footer->addWidget(m_finish);
  auto* rule = new QFrame(this);
  rule->setFrameShape(QFrame::HLine);
  rule->setFrameShadow(QFrame::Sunken);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_area, 1);
  layout->addWidget(rule);
  layout->addLayout(footer);
}

void StepPage::connectParts() {
  connect(m_questions, &QuestionForm::answered, this,
          [this](const QString& id, const QString& value) { emit answered(m_view.shownStep, id, value); });
  connect(m_measure, &QPushButton::clicked, this, [this] { emit measureWanted(m_view.shownStep); });
  connect(m_finish, &QPushButton::clicked, this, [this] { emit finishWanted(m_view.shownStep); });
  connect(m_skip, &QPushButton::clicked, this, [this] { emit skipWanted(m_view.shownStep); });
  connect(m_reopen, &QPushButton::clicked, this, [this] { emit reopenWanted(m_view.shownStep); });
  connect(m_notice, &StepNotice::resumeWanted, this, &StepPage::resumeWanted);
  connect(m_notice, &StepNotice::reportWanted, this, &StepPage::reportWanted);
  connect(m_actions, &ActionList::performWanted, this,
          [this](const runbook::Action& action) { emit performWanted(m_view.shownStep, action); });
  connect(m_obstacles, &ObstacleList::chosen, this, &StepPage::reveal);
  connect(m_reason, &QLabel::linkActivated, this, [this] {
    if (!m_obstaclesShown.empty()) reveal(m_obstaclesShown.front());
  });
  connect(m_gates, &GateTable::waiverWanted, this, [this](const QString& id) {
    const auto* gate = m_view.state.step(m_view.shownStep).gate(id.toStdString());
    if (gate != nullptr) emit waiverWanted(m_view.shownStep, *gate);
  });
}

void StepPage::show(const RunView& view) {
  const bool other = view.shownStep != m_view.shownStep || view.state.runId != m_view.state.runId;
  if (other) {
    clearFailure();
    m_area->ensureVisible(0, 0, 0, 0);
  }
  m_view = view;
  refresh();
}

void StepPage::setBusy(bool busy) {
  if (busy) {
    const auto* focused = focusWidget();
    m_focusBefore = focused != nullptr && focused->hasFocus() ? focused->objectName() : QString();
  }
  m_busy = busy;
  m_notice->setBusy(busy);
  m_actions->setBusy(busy);
  if (!m_view.state.runId.empty()) refreshFooter();
  if (busy) {
    m_focusWhileBusy = window()->focusWidget();
  } else if (!m_focusBefore.isEmpty() && m_focusWhileBusy == window()->focusWidget()) {
    // Buttons that were off while work ran lost the focus; it comes back unless the operator moved on.
    auto* before = findChild<QWidget*>(m_focusBefore);
    if (before != nullptr && before->isEnabled() && before->isVisible()) before->setFocus(Qt::OtherFocusReason);
  }
}

void StepPage::refresh() {
  showHeader();
  const auto& step = m_view.state.step(m_view.shownStep);
  const bool editable = isOpenStep();
  m_notice->show(m_view.state);
  std::vector<runbook::Question> questions;
  for (const auto& question : m_view.questions) {
    // The notice asks this one.
    if (question.id != "resume") questions.push_back(question);
  }
  m_questions->show(m_view.shownStep, questions, step.answers, editable);
  m_questions->setVisible(!questions.empty());
  m_questionsHeading->setVisible(!questions.empty());
  m_gates->show(step.gates, editable);
  m_gates->setVisible(!step.gates.empty());
  m_gatesEmpty->setVisible(step.gates.empty() && m_view.doesNotApply.empty());
  m_gatesHeading->setVisible(m_gates->isVisibleTo(m_body) || m_gatesEmpty->isVisibleTo(m_body));
  m_actions->show(m_view, shutBecause());
  refreshFooter();
  orderTabs();
}

void StepPage::showHeader() {
  const auto& step = m_view.state.step(m_view.shownStep);
  const auto& info = runbook::stepInfos().at(static_cast<std::size_t>(m_view.shownStep - 1));
  const StatusLook look = lookOf(step.status, palette());
  m_mark->setPixmap(look.icon.pixmap(style()->pixelMetric(QStyle::PM_LargeIconSize) * 3 / 4));
  m_title->setText(tr("%1  %2").arg(m_view.shownStep).arg(text(info.title)));
  QString words = tr("State: %1").arg(look.word);
  if (!step.finishedAt.empty()) words += tr(", ended %1").arg(utcText(step.finishedAt));
  if (!step.skippedBecause.empty()) words += tr(". Does not apply: %1").arg(text(step.skippedBecause));
  if (!m_view.doesNotApply.empty() && step.skippedBecause.empty()) {
    words += tr(". Does not apply: %1").arg(text(m_view.doesNotApply));
  }
  m_state->setText(words);
  m_state->setToolTip(step.finishedAt.empty() ? QString() : localText(step.finishedAt));
  m_purpose->setText(text(info.purpose));
}

bool StepPage::isOpenStep() const {
  const auto& state = m_view.state;
  return !state.runId.empty() && state.phase == runbook::RunPhase::Open && m_view.shownStep == state.currentStep() &&
         !state.interrupted;
}

QString StepPage::shutBecause() const {
  const auto& state = m_view.state;
  if (state.phase != runbook::RunPhase::Open) return tr("The run has ended.");
  if (state.interrupted) return tr("An interrupted effect comes first: see above.");
  if (m_view.shownStep > state.currentStep()) return tr("This step comes after step %1.").arg(state.currentStep());
  if (m_view.shownStep < state.currentStep()) return tr("This step is over.");
  return {};
}

std::vector<runbook::Obstacle> StepPage::obstaclesNow() const {
  const auto& step = m_view.state.step(m_view.shownStep);
  const bool over = step.status == StepStatus::Done || step.status == StepStatus::Skipped;
  if (over || m_view.shownStep > m_view.state.currentStep() || m_view.state.phase != runbook::RunPhase::Open) return {};
  auto obstacles = m_view.obstacles;
  const std::string now = runbook::utcNow();
  for (const auto& gate : step.gates) {
    if (runbook::gateAt(gate, now).result != runbook::GateResult::Stale) continue;
    const bool known = std::any_of(obstacles.begin(), obstacles.end(),
                                   [&](const runbook::Obstacle& each) { return each.gate == gate.id; });
    if (!known)
      obstacles.push_back({tr("%1: measured too long ago").arg(text(gate.title)).toStdString(), gate.id, {}, {}});
  }
  return obstacles;
}

void StepPage::refreshFooter() {
  const bool open = isOpenStep();
  const bool applies = m_view.doesNotApply.empty();
  m_obstaclesShown = obstaclesNow();
  m_obstacles->show(m_obstaclesShown);
  QString shut = shutBecause();
  if (shut.isEmpty() && m_busy) shut = tr("Work is running.");
  m_measure->setEnabled(open && !m_busy && applies);
  m_finish->setVisible(applies);
  m_finish->setEnabled(open && !m_busy && applies && m_obstaclesShown.empty());
  m_skip->setVisible(!applies && open);
  m_skip->setEnabled(!m_busy);
  m_reopen->setVisible(m_view.state.phase == runbook::RunPhase::Open && !m_view.state.interrupted &&
                       m_view.shownStep < m_view.state.currentStep());
  m_reopen->setEnabled(!m_busy);
  QString reason = shut.toHtmlEscaped();
  if (reason.isEmpty() && applies) reason = reasonLink(m_obstaclesShown);
  m_reason->setText(reason);
  const QString plain = shut.isEmpty() && !m_obstaclesShown.empty() ? text(m_obstaclesShown.front().text) : shut;
  m_reason->setAccessibleName(plain.isEmpty() ? tr("Nothing is left to do") : tr("Why not yet: %1").arg(plain));
  m_finish->setAccessibleDescription(m_finish->isEnabled() ? QString() : plain);
  m_measure->setAccessibleDescription(m_measure->isEnabled() ? QString() : plain);
}

void StepPage::refreshAges() {
  if (m_view.state.runId.empty()) return;
  m_gates->refreshAges();
  if (obstaclesNow().size() != m_obstaclesShown.size()) refreshFooter();
}

void StepPage::reveal(const runbook::Obstacle& obstacle) {
  if (!obstacle.gate.empty() && m_gates->reveal(obstacle.gate)) {
    const QRect row = m_gates->rectOf(obstacle.gate);
    const QPoint middle = m_gates->mapTo(m_body, row.center());
    m_area->ensureVisible(middle.x(), middle.y(), 0, row.height() + kPageMargin);
    return;
  }
  if (obstacle.question == "resume") {
    m_notice->tabStops().front()->setFocus(Qt::OtherFocusReason);
  } else if (!obstacle.question.empty()) {
    m_questions->reveal(obstacle.question);
  } else if (!obstacle.action.empty()) {
    m_actions->reveal(obstacle.action);
  }
  if (auto* focused = m_body->focusWidget()) m_area->ensureWidgetVisible(focused, 0, kPageMargin);
}

void StepPage::performPrimary() {
  if (m_busy) return;
  for (QPushButton* each : {m_actions->firstOpen(), m_finish, m_skip, m_measure}) {
    if (each == nullptr || !each->isVisible() || !each->isEnabled()) continue;
    each->click();
    return;
  }
}

void StepPage::measure() {
  m_measure->click();
}

void StepPage::showFailure(const Failure& failure) {
  m_failure->show(failure);
  m_area->ensureWidgetVisible(m_failure, 0, kPageMargin);
}

void StepPage::clearFailure() {
  m_failure->clear();
}

void StepPage::orderTabs() {
  // Fields and actions come and go; the chain is laid again in reading order.
  std::vector<QWidget*> chain = m_notice->tabStops();
  for (auto* each : m_failure->findChildren<QPushButton*>()) chain.push_back(each);
  for (auto* each : m_questions->tabStops()) chain.push_back(each);
  chain.push_back(m_gates);
  for (auto* each : m_gates->findChildren<QPushButton*>()) chain.push_back(each);
  for (auto* each : m_actions->tabStops()) chain.push_back(each);
  for (auto* each : m_obstacles->findChildren<QLabel*>("obstaclesLabel")) chain.push_back(each);
  for (QWidget* each : std::initializer_list<QWidget*>{m_measure, m_reason, m_reopen, m_skip, m_finish}) {
    chain.push_back(each);
  }
  for (std::size_t i = 1; i < chain.size(); ++i) setTabOrder(chain[i - 1], chain[i]);
}

}  // namespace tidemark::ui
