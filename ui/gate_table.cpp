#include "ui/gate_table.h"

#include <QHeaderView>
#include <QPushButton>

#include "runbook/clock.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

enum GateColumn { Result, Title, Measured, Limit, ReadFrom, Age, Waive, GateColumns };

QString measuredText(const runbook::Gate& gate) {
  return gate.unit.empty() ? text(gate.measured) : text(gate.measured) + " " + text(gate.unit);
}

QString titleText(const runbook::Gate& gate) {
  QString title = text(gate.title);
  if (gate.result != runbook::GateResult::Pass && !gate.hint.empty()) title += "\n" + text(gate.hint);
  if (gate.waiver) {
    title += "\n" + GateTable::tr("Waived by %1 with %2: %3")
                        .arg(text(gate.waiver->user), text(gate.waiver->secondPerson), text(gate.waiver->reason));
  }
  return title;
}

}  // namespace

GateTable::GateTable(QWidget* parent) : QTableWidget(0, GateColumns, parent) {
  setObjectName("gateTable");
  setAccessibleName(tr("Gates of the step"));
  setHorizontalHeaderLabels(
      {tr("Result"), tr("Gate"), tr("Measured"), tr("Limit"), tr("Read from"), tr("Age"), QString()});
  verticalHeader()->hide();
  horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  horizontalHeader()->setSectionResizeMode(Title, QHeaderView::Stretch);
  horizontalHeader()->setSectionResizeMode(Measured, QHeaderView::Interactive);
  setColumnWidth(Measured, 240);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setWordWrap(true);
  setTabKeyNavigation(false);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void GateTable::show(const std::vector<runbook::Gate>& gates) {
  setRowCount(static_cast<int>(gates.size()));
  const std::string now = runbook::utcNow();
  for (int row = 0; row < rowCount(); ++row) {
    const runbook::Gate gate = runbook::gateAt(gates[static_cast<std::size_t>(row)], now);
    const StatusLook look = lookOf(gate.result, palette());
    auto* result = new QTableWidgetItem(look.icon, look.word);
    result->setData(Qt::UserRole, text(gate.id));
    setItem(row, Result, result);
    setItem(row, Title, new QTableWidgetItem(titleText(gate)));
    setItem(row, Measured, new QTableWidgetItem(measuredText(gate)));
    setItem(row, Limit, new QTableWidgetItem(text(gate.limit)));
    setItem(row, ReadFrom, new QTableWidgetItem(text(gate.source)));
    auto* age = new QTableWidgetItem(durationText(runbook::secondsBetween(gate.measuredAt, now)));
    age->setToolTip(text(gate.measuredAt));
    setItem(row, Age, age);
    removeCellWidget(row, Waive);
    if (gate.waivable && !gate.waiver && gate.result == runbook::GateResult::Warn) {
      auto* button = new QPushButton(tr("Waive…"));
      button->setObjectName("waive_" + text(gate.id));
      button->setAccessibleName(tr("Waive %1").arg(text(gate.title)));
      connect(button, &QPushButton::clicked, this, [this, id = text(gate.id)] { emit waiverWanted(id); });
      setCellWidget(row, Waive, button);
    }
  }
  resizeRowsToContents();
  fitHeight();
}

void GateTable::reveal(const std::string& gate) {
  for (int row = 0; row < rowCount(); ++row) {
    if (item(row, Result)->data(Qt::UserRole).toString() != text(gate)) continue;
    selectRow(row);
    scrollToItem(item(row, Result));
    setFocus();
  }
}

void GateTable::fitHeight() {
  int height = horizontalHeader()->sizeHint().height() + 2 * frameWidth();
  for (int row = 0; row < rowCount(); ++row) height += rowHeight(row);
  setFixedHeight(height + 4);
}

}  // namespace tidemark::ui
