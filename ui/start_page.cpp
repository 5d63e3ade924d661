#include "ui/start_page.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "runbook/step.h"
#include "ui/failure_panel.h"
#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

enum RunColumn { Run, ProfileName, At, Begun, State, RunColumns };

QString placeOf(const runbook::RunSummary& run) {
  if (run.phase != runbook::RunPhase::Open || !run.problem.empty()) return {};
  const auto& info = runbook::stepInfos().at(static_cast<std::size_t>(run.currentStep - 1));
  return StartPage::tr("%1  %2").arg(run.currentStep).arg(text(info.title));
}

QString stateOf(const runbook::RunSummary& run) {
  if (!run.problem.empty()) return StartPage::tr("cannot be read: %1").arg(text(run.problem));
  if (run.phase == runbook::RunPhase::Finished) return StartPage::tr("finished");
  if (run.phase == runbook::RunPhase::Abandoned) return StartPage::tr("abandoned");
  if (!run.lockedBy.empty()) return StartPage::tr("driven by %1").arg(text(run.lockedBy));
  return run.interrupted ? StartPage::tr("interrupted") : StartPage::tr("open");
}

void setUpRunList(QTableWidget& runs) {
  runs.setHorizontalHeaderLabels({StartPage::tr("Run"), StartPage::tr("Profile"), StartPage::tr("At step"),
                                  StartPage::tr("Begun"), StartPage::tr("State")});
  runs.setAccessibleName(StartPage::tr("Runs"));
  runs.verticalHeader()->hide();
  runs.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  runs.horizontalHeader()->setSectionResizeMode(State, QHeaderView::Stretch);
  runs.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  runs.horizontalHeader()->setHighlightSections(false);
  runs.setSelectionBehavior(QAbstractItemView::SelectRows);
  runs.setSelectionMode(QAbstractItemView::SingleSelection);
  runs.setEditTriggers(QAbstractItemView::NoEditTriggers);
  runs.setShowGrid(false);
  runs.setTabKeyNavigation(false);
}

}  // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent),
      m_failure(new FailurePanel(this)),
      m_runs(new QTableWidget(0, RunColumns, this)),
      m_noRuns(wrapped(tr("There are no runs yet."), this)),
      m_dryRun(new QCheckBox(tr("&Dry run: measures and previews only, and cannot be armed"), this)),
      m_why(wrapped(QString(), this)),
      m_open(new QPushButton(tr("Ope&n the run"), this)),
      m_demo(new QPushButton(tr("Tr&y the demo"), this)),
      m_begin(new QPushButton(tr("&Begin a run from a profile…"), this)) {
  m_runs->setObjectName("runList");
  m_dryRun->setObjectName("dryRunBox");
  m_open->setObjectName("openRunButton");
  m_demo->setObjectName("demoButton");
  m_begin->setObjectName("beginRunButton");
  m_why->setObjectName("startReason");
  setUpRunList(*m_runs);
  auto* label = new QLabel(tr("&List of runs:"), this);
  label->setBuddy(m_runs);

  auto* beginButtons = new QHBoxLayout;
  beginButtons->setSpacing(kGap);
  beginButtons->addWidget(m_begin);
  beginButtons->addWidget(m_demo);
  beginButtons->addStretch(1);
  auto* openRow = new QHBoxLayout;
  openRow->addWidget(m_open);
  openRow->addWidget(m_why, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kPageMargin, kPageMargin, kPageMargin, kPageMargin);
  layout->setSpacing(kGap);
  layout->addWidget(heading(tr("Tidemark"), this, 1.35));
  layout->addWidget(
      wrapped(tr("Puts history into a table that is receiving live changes, and proves that nothing newer was "
                 "lost. Every run starts dry: it writes nothing until it is armed."),
              this));
  layout->addWidget(m_failure);
  layout->addSpacing(kSectionGap - kGap);
  layout->addWidget(heading(tr("Begin"), this));
  layout->addLayout(beginButtons);
  layout->addWidget(
      smallPrint(tr("The demo brings its own databases with live changes: no server, no network. Its sink has "
                    "lost some rows, and the run mends it."),
                 this));
  layout->addWidget(m_dryRun);
  layout->addSpacing(kSectionGap - kGap);
  layout->addWidget(heading(tr("Go on"), this));
  layout->addWidget(label);
  layout->addWidget(m_runs, 100);
  layout->addWidget(m_noRuns);
  layout->addLayout(openRow);
  layout->addStretch(1);
  connectParts();
  showRuns({});
}

void StartPage::connectParts() {
  setTabOrder(m_begin, m_demo);
  setTabOrder(m_demo, m_dryRun);
  setTabOrder(m_dryRun, m_runs);
  setTabOrder(m_runs, m_open);
  connect(m_runs, &QTableWidget::itemSelectionChanged, this, &StartPage::refreshButtons);
  connect(m_runs, &QTableWidget::itemActivated, this, &StartPage::openChosen);
  connect(m_open, &QPushButton::clicked, this, &StartPage::openChosen);
  connect(m_begin, &QPushButton::clicked, this, &StartPage::profileWanted);
  connect(m_demo, &QPushButton::clicked, this, &StartPage::demoWanted);
}

void StartPage::showRuns(const RunList& list) {
  const QString before = chosenRun();
  m_runs->setRowCount(0);
  for (const auto& run : list.runs) {
    const int row = m_runs->rowCount();
    m_runs->insertRow(row);
    const QString profile = run.environment.empty() ? text(run.profileName)
                                                    : tr("%1 (%2)").arg(text(run.profileName), text(run.environment));
    const QString begun =
        run.createdAt.empty() ? QString() : tr("%1 by %2").arg(utcText(run.createdAt), text(run.createdBy));
    const QStringList cells{text(run.runId), profile, placeOf(run), begun, stateOf(run)};
    for (int column = 0; column < RunColumns; ++column) {
      auto* cell = new QTableWidgetItem(cells.at(column));
      cell->setToolTip(column == Begun ? localText(run.createdAt) : cells.at(column));
      m_runs->setItem(row, column, cell);
    }
    if (text(run.runId) == before) m_runs->selectRow(row);
  }
  const bool any = m_runs->rowCount() > 0;
  m_runs->setVisible(any);
  m_noRuns->setVisible(!any);
  refreshButtons();
}

void StartPage::showFailure(const Failure& failure) {
  m_failure->show(failure);
}

void StartPage::clearFailure() {
  m_failure->clear();
}

void StartPage::setBusy(bool busy) {
  m_busy = busy;
  refreshButtons();
}

bool StartPage::dryRun() const {
  return m_dryRun->isChecked();
}

void StartPage::openChosen() {
  const QString run = chosenRun();
  if (!run.isEmpty() && !m_busy) emit runWanted(run);
}

void StartPage::refreshButtons() {
  const bool chosen = !chosenRun().isEmpty();
  m_begin->setEnabled(!m_busy);
  m_demo->setEnabled(!m_busy);
  m_open->setEnabled(chosen && !m_busy);
  m_open->setVisible(m_runs->rowCount() > 0);
  QString reason;
  if (m_runs->rowCount() > 0 && !chosen) reason = tr("Choose a run in the list first.");
  if (m_busy) reason = tr("Work is running.");
  m_why->setText(reason);
  m_open->setAccessibleDescription(reason);
}

QString StartPage::chosenRun() const {
  const auto rows = m_runs->selectionModel()->selectedRows();
  return rows.isEmpty() ? QString() : m_runs->item(rows.front().row(), Run)->text();
}

}  // namespace tidemark::ui
