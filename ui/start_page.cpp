#include "ui/start_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "runbook/run_driver.h"
#include "ui/status_look.h"

namespace tidemark::ui {

StartPage::StartPage(QWidget* parent) : QWidget(parent), m_runs(new QListWidget(this)) {
  m_runs->setObjectName("runList");
  auto* intro =
      new QLabel(tr("Tidemark puts history into a table that is receiving live changes, and proves that nothing "
                    "newer was lost. Every run starts dry: it writes nothing until it is armed."),
                 this);
  intro->setWordWrap(true);
  auto* label = new QLabel(tr("&Runs:"), this);
  label->setBuddy(m_runs);
  auto* open = new QPushButton(tr("&Open the run"), this);
  open->setObjectName("openRunButton");
  open->setEnabled(false);
  auto* begin = new QPushButton(tr("&Begin a run from a profile…"), this);
  begin->setObjectName("beginRunButton");
  auto* demo = new QPushButton(tr("&Try the demo"), this);
  demo->setObjectName("demoButton");
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(open);
  buttons->addStretch(1);
  buttons->addWidget(demo);
  buttons->addWidget(begin);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(intro);
  layout->addWidget(label);
  layout->addWidget(m_runs, 1);
  layout->addLayout(buttons);
  const auto openCurrent = [this] {
    if (const auto* item = m_runs->currentItem()) emit runWanted(item->data(Qt::UserRole).toString());
  };
  connect(m_runs, &QListWidget::itemSelectionChanged, this,
          [this, open] { open->setEnabled(m_runs->currentItem() != nullptr); });
  connect(m_runs, &QListWidget::itemActivated, this, openCurrent);
  connect(open, &QPushButton::clicked, this, openCurrent);
  connect(begin, &QPushButton::clicked, this, &StartPage::profileWanted);
  connect(demo, &QPushButton::clicked, this, &StartPage::demoWanted);
}

void StartPage::listRuns(const std::filesystem::path& folder) {
  m_runs->clear();
  for (const auto& run : runbook::listRuns(folder)) {
    QString line = tr("%1 — %2 (%3), step %4, begun %5 by %6")
                       .arg(text(run.runId), text(run.profileName), text(run.environment))
                       .arg(run.currentStep)
                       .arg(text(run.createdAt), text(run.createdBy));
    if (run.interrupted) line += tr(", interrupted");
    if (!run.lockedBy.empty()) line += tr(", driven by %1").arg(text(run.lockedBy));
    if (!run.problem.empty()) line = tr("%1 — cannot be read: %2").arg(text(run.runId), text(run.problem));
    auto* item = new QListWidgetItem(line, m_runs);
    item->setData(Qt::UserRole, text(run.runId));
  }
}

}  // namespace tidemark::ui
