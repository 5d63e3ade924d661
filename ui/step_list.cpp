#include "ui/step_list.h"

#include <QEvent>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStyledItemDelegate>

#include "runbook/clock.h"
#include "runbook/step.h"
#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

// At the right edge of the row; the duration gives way where there is no room for both.
constexpr int kWordRole = Qt::UserRole + 1;
constexpr int kDurationRole = Qt::UserRole + 2;
constexpr int kRowPadding = 8;
constexpr int kIconSize = 16;

/// Draws the word and the duration of a step at the right edge of its row.
class StepDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const auto group = option.state.testFlag(QStyle::State_Active) ? QPalette::Active : QPalette::Inactive;
    painter->save();
    painter->setFont(option.widget == nullptr ? option.font : option.widget->font());
    painter->setPen(option.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text));
    const QString word = index.data(kWordRole).toString();
    const QString duration = index.data(kDurationRole).toString();
    const QFontMetrics metrics = painter->fontMetrics();
    QFont bold = painter->font();
    bold.setBold(true);
    const int title =
        QFontMetrics(bold).horizontalAdvance(index.data().toString()) + option.decorationSize.width() + 4 * kGap;
    const QString both = duration.isEmpty() ? word : word + "  " + duration;
    const bool room = title + metrics.horizontalAdvance(both) <= option.rect.width();
    painter->drawText(option.rect.adjusted(0, 0, -kGap, 0), Qt::AlignVCenter | Qt::AlignRight, room ? both : word);
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {0, std::max(kIconSize, option.fontMetrics.height()) + kRowPadding};
  }
};

QString durationOf(const runbook::StepState& step) {
  if (step.startedAt.empty()) return {};
  const bool ended = !step.finishedAt.empty();
  if (!ended && step.status != runbook::StepStatus::Running) return {};
  return durationText(runbook::secondsBetween(step.startedAt, ended ? step.finishedAt : runbook::utcNow()));
}

QString titleText(const runbook::StepInfo& info) {
  return QString("%1  %2").arg(info.number, 2).arg(text(info.title));
}

}  // namespace

StepList::StepList(QWidget* parent) : QListWidget(parent) {
  setObjectName("stepList");
  setAccessibleName(tr("Steps of the run"));
  setItemDelegate(new StepDelegate(this));
  setUniformItemSizes(true);
  fitIcons();
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (const auto& info : runbook::stepInfos()) addItem(titleText(info));
  connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row >= 0) emit stepChosen(row + 1);
  });
}

void StepList::show(const runbook::RunState& state, int shown) {
  const QSignalBlocker blocker(this);
  for (const auto& step : state.steps) {
    auto* entry = item(step.number - 1);
    const StatusLook look = lookOf(step.status, palette());
    const QString duration = durationOf(step);
    const auto& info = runbook::stepInfos().at(static_cast<std::size_t>(step.number - 1));
    entry->setIcon(look.icon);
    entry->setData(kWordRole, look.word);
    entry->setData(kDurationRole, duration);
    entry->setData(Qt::AccessibleTextRole,
                   tr("Step %1, %2, %3 %4").arg(step.number).arg(text(info.title), look.word, duration).trimmed());
    entry->setToolTip(step.finishedAt.empty()
                          ? QString()
                          : tr("Ended %1\n%2").arg(utcText(step.finishedAt), localText(step.finishedAt)));
    QFont font = this->font();
    font.setBold(step.number == state.currentStep() && state.phase == runbook::RunPhase::Open);
    entry->setFont(font);
  }
  if (currentRow() == shown - 1) return;
  setCurrentRow(shown - 1);
  scrollToItem(item(shown - 1));
}

QSize StepList::minimumSizeHint() const {
  return {widthFor({}), 6 * sizeHintForRow(0)};
}

QSize StepList::sizeHint() const {
  // With large fonts the page needs the room more than the durations do.
  const int most = screen()->availableSize().width() * 3 / 10;
  return {std::max(widthFor({}), std::min(widthFor("  9 min 59 s"), most)),
          runbook::kSteps * sizeHintForRow(0) + 2 * frameWidth()};
}

int StepList::widthFor(const QString& duration) const {
  QFont bold = font();
  bold.setBold(true);
  const QFontMetrics titles(bold);
  int title = 0;
  for (const auto& info : runbook::stepInfos()) title = std::max(title, titles.horizontalAdvance(titleText(info)));
  const QString word = lookOf(runbook::StepStatus::Running, palette()).word;
  return title + fontMetrics().horizontalAdvance(word + duration) + iconSize().width() + 4 * kGap +
         verticalScrollBar()->sizeHint().width();
}

void StepList::changeEvent(QEvent* event) {
  QListWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fitIcons();
}

void StepList::fitIcons() {
  const int size = std::max(kIconSize, fontMetrics().height() - 2);
  setIconSize({size, size});
}

}  // namespace tidemark::ui
