#include "ui/step_list.h"

#include <QSignalBlocker>

#include "runbook/clock.h"
#include "runbook/step.h"
#include "ui/status_look.h"

namespace tidemark::ui {

StepList::StepList(QWidget* parent) : QListWidget(parent) {
  setObjectName("stepList");
  setAccessibleName(tr("Steps of the run"));
  setUniformItemSizes(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumWidth(270);
  for (const auto& info : runbook::stepInfos()) {
    addItem(QString("%1  %2").arg(info.number).arg(text(info.title)));
  }
  connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row >= 0) emit stepChosen(row + 1);
  });
}

void StepList::show(const runbook::RunState& state, int shown) {
  const QSignalBlocker blocker(this);
  for (const auto& step : state.steps) {
    auto* entry = item(step.number - 1);
    const StatusLook look = lookOf(step.status, palette());
    QString word = look.word;
    if (!step.startedAt.empty() && !step.finishedAt.empty()) {
      word += ", " + durationText(runbook::secondsBetween(step.startedAt, step.finishedAt));
    }
    const auto& info = runbook::stepInfos().at(static_cast<std::size_t>(step.number - 1));
    entry->setIcon(look.icon);
    entry->setText(QString("%1  %2\n     %3").arg(step.number).arg(text(info.title), word));
    entry->setData(Qt::AccessibleTextRole, tr("Step %1, %2, %3").arg(step.number).arg(text(info.title), word));
    QFont font = this->font();
    font.setBold(step.number == state.currentStep() && state.phase == runbook::RunPhase::Open);
    entry->setFont(font);
  }
  setCurrentRow(shown - 1);
  scrollToItem(item(shown - 1));
}

}  // namespace tidemark::ui
