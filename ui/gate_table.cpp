#include "ui/gate_table.h"

#include <algorithm>
#include <array>

#include <QEvent>
#include <QHeaderView>
#include <QPushButton>

#include "runbook/clock.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

enum GateColumn { Result, Title, Measured, Limit, ReadFrom, Age, Waive, GateColumns };

constexpr int kRowPadding = 6;
constexpr int kCellPadding = 18;
constexpr int kIconSize = 16;
constexpr int kIconGap = 6;

QString measuredText(const runbook::Gate& gate) {
  return gate.unit.empty() ? text(gate.measured) : text(gate.measured) + " " + text(gate.unit);
}

/// What stands below a gate: what to do while it is not open, and its waiver.
QString noteOf(const runbook::Gate& gate) {
  QStringList lines;
  if (gate.result != runbook::GateResult::Pass && !gate.hint.empty()) lines << text(gate.hint);
  if (gate.waiver) {
    lines << GateTable::tr("Waived by %1 with %2: %3")
                 .arg(text(gate.waiver->user), text(gate.waiver->secondPerson), text(gate.waiver->reason));
  }
  return lines.join('\n');
}

QString ageText(const runbook::Gate& gate, const std::string& now) {
  return gate.measuredAt.empty() ? QString() : durationText(runbook::secondsBetween(gate.measuredAt, now));
}

QString hoverText(const runbook::Gate& gate) {
  if (gate.measuredAt.empty()) return {};
  return GateTable::tr("Measured %1\n%2").arg(utcText(gate.measuredAt), localText(gate.measuredAt));
}

}  // namespace

GateTable::GateTable(QWidget* parent) : QTableWidget(0, GateColumns, parent) {
  setObjectName("gateTable");
  setAccessibleName(tr("Gates of the step"));
  setHorizontalHeaderLabels(
      {tr("Result"), tr("Gate"), tr("Measured"), tr("Limit"), tr("Read from"), tr("Age"), QString()});
  verticalHeader()->hide();
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionsClickable(false);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setWordWrap(true);
  setShowGrid(false);
  setAlternatingRowColors(false);
  setTabKeyNavigation(false);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void GateTable::show(const std::vector<runbook::Gate>& gates, bool editable) {
  const bool same = gates == m_gates && editable == m_editable;
  m_gates = gates;
  m_editable = editable;
  if (same) {
    refreshAges();
    return;
  }
  const auto* chosen = currentRow() < 0 ? nullptr : item(currentRow(), Result);
  const QString selected = chosen == nullptr ? QString() : chosen->data(Qt::UserRole).toString();
  const int icon = std::max(kIconSize, fontMetrics().height() - 2);
  setIconSize({icon, icon});
  clearSpans();
  setRowCount(0);
  for (const auto& gate : gates) addGate(gate, editable);
  shareWidth();
  if (const int row = rowOf(selected.toStdString()); !selected.isEmpty() && row >= 0) selectRow(row);
}

void GateTable::addGate(const runbook::Gate& measured, bool editable) {
  const std::string now = runbook::utcNow();
  const runbook::Gate gate = runbook::gateAt(measured, now);
  const StatusLook look = lookOf(gate.result, palette());
  const int row = rowCount();
  insertRow(row);
  auto* result = new QTableWidgetItem(look.icon, look.word);
  result->setData(Qt::UserRole, text(gate.id));
  setItem(row, Result, result);
  setItem(row, Title, new QTableWidgetItem(text(gate.title)));
  setItem(row, Measured, new QTableWidgetItem(measuredText(gate)));
  setItem(row, Limit, new QTableWidgetItem(text(gate.limit)));
  setItem(row, ReadFrom, new QTableWidgetItem(text(gate.source)));
  auto* age = new QTableWidgetItem(ageText(gate, now));
  age->setToolTip(hoverText(gate));
  setItem(row, Age, age);
  for (int column = 0; column <= Age; ++column) {
    item(row, column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    item(row, column)->setData(Qt::AccessibleTextRole, tr("%1: %2").arg(text(gate.title), item(row, column)->text()));
  }
  if (gate.waivable && !gate.waiver && gate.result == runbook::GateResult::Warn) {
    auto* button = new QPushButton(tr("Waive…"));
    button->setObjectName("waive_" + text(gate.id));
    button->setAccessibleName(tr("Waive %1").arg(text(gate.title)));
    button->setEnabled(editable);
    connect(button, &QPushButton::clicked, this, [this, id = text(gate.id)] { emit waiverWanted(id); });
    setCellWidget(row, Waive, button);
  }
  if (const QString note = noteOf(gate); !note.isEmpty()) addNote(note);
}

void GateTable::addNote(const QString& note) {
  const int row = rowCount();
  insertRow(row);
  auto* cell = new QTableWidgetItem(note);
  cell->setTextAlignment(Qt::AlignLeft | Qt::AlignTop);
  cell->setFlags(Qt::ItemIsEnabled);
  QFont font = this->font();
  font.setItalic(true);
  cell->setFont(font);
  setItem(row, Title, cell);
  setSpan(row, Title, 1, GateColumns - Title);
  auto* empty = new QTableWidgetItem;
  empty->setFlags(Qt::ItemIsEnabled);
  setItem(row, Result, empty);
}

void GateTable::refreshAges() {
  const std::string now = runbook::utcNow();
  for (const auto& measured : m_gates) {
    const int row = rowOf(measured.id);
    if (row < 0) continue;
    const runbook::Gate gate = runbook::gateAt(measured, now);
    const StatusLook look = lookOf(gate.result, palette());
    item(row, Age)->setText(ageText(gate, now));
    if (item(row, Result)->text() == look.word) continue;
    item(row, Result)->setText(look.word);
    item(row, Result)->setIcon(look.icon);
  }
}

bool GateTable::reveal(const std::string& gate) {
  const int row = rowOf(gate);
  if (row < 0) return false;
  setCurrentCell(row, Title);
  setFocus(Qt::OtherFocusReason);
  return true;
}

QRect GateTable::rectOf(const std::string& gate) const {
  const int row = rowOf(gate);
  return row < 0 ? QRect() : visualItemRect(item(row, Title)).translated(0, horizontalHeader()->height());
}

int GateTable::rowOf(const std::string& gate) const {
  for (int row = 0; row < rowCount(); ++row) {
    const auto* cell = item(row, Result);
    if (cell != nullptr && cell->data(Qt::UserRole).toString() == text(gate)) return row;
  }
  return -1;
}

void GateTable::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  shareWidth();
}

void GateTable::changeEvent(QEvent* event) {
  QTableWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  const std::vector<runbook::Gate> gates = std::move(m_gates);
  m_gates.clear();
  show(gates, m_editable);
}

void GateTable::shareWidth() {
  int waive = 0;
  std::array<int, GateColumns> natural{};
  for (int column = 0; column < GateColumns; ++column) {
    natural.at(static_cast<std::size_t>(column)) =
        fontMetrics().horizontalAdvance(horizontalHeaderItem(column)->text()) + kCellPadding;
  }
  bool limits = false;
  for (int row = 0; row < rowCount(); ++row) {
    if (item(row, Age) == nullptr) continue;  // A note.
    for (int column = Result; column <= Age; ++column) {
      int widest = 0;
      for (const QString& line : item(row, column)->text().split('\n')) {
        widest = std::max(widest, fontMetrics().horizontalAdvance(line));
      }
      const int icon = column == Result ? iconSize().width() + kIconGap : 0;
      auto& width = natural.at(static_cast<std::size_t>(column));
      width = std::max(width, widest + icon + kCellPadding);
    }
    if (auto* button = cellWidget(row, Waive)) waive = std::max(waive, button->sizeHint().width());
    limits = limits || !item(row, Limit)->text().isEmpty();
  }
  setColumnHidden(Waive, waive == 0);
  setColumnHidden(Limit, !limits);
  setColumnWidth(Result, natural[Result]);
  setColumnWidth(Age, natural[Age]);
  if (waive > 0) setColumnWidth(Waive, waive);
  std::vector<int> wordy{Title, Measured, ReadFrom};
  if (limits) wordy.push_back(Limit);
  int left = std::max(0, viewport()->width() - natural[Result] - natural[Age] - waive);
  // Narrow columns get what they need; the widest share what is then left.
  std::sort(wordy.begin(), wordy.end(), [&](int one, int other) {
    return natural.at(static_cast<std::size_t>(one)) < natural.at(static_cast<std::size_t>(other));
  });
  for (std::size_t i = 0; i < wordy.size(); ++i) {
    const int fair = left / static_cast<int>(wordy.size() - i);
    const bool last = i + 1 == wordy.size();
    const int width = last ? left : std::min(fair, natural.at(static_cast<std::size_t>(wordy[i])));
    setColumnWidth(wordy[i], width);
    left -= width;
  }
  resizeRowsToContents();
  for (int row = 0; row < rowCount(); ++row)
    setRowHeight(row, rowHeight(row) + (item(row, Age) == nullptr ? 2 : kRowPadding));
  fitHeight();
}

void GateTable::fitHeight() {
  int height = horizontalHeader()->sizeHint().height() + 2 * frameWidth();
  for (int row = 0; row < rowCount(); ++row) height += rowHeight(row);
  setFixedHeight(height + 2);
}

}  // namespace tidemark::ui
