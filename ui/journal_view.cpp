#include "ui/journal_view.h"

#include <QFontDatabase>
#include <QHeaderView>
#include <QScrollBar>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {
enum JournalColumn { Number, Time, Kind, Payload, Hash, JournalColumns };
constexpr qsizetype kHashShown = 12;
}  // namespace

void JournalModel::clear() {
  beginResetModel();
  m_entries.clear();
  endResetModel();
}

void JournalModel::add(const runbook::JournalEntry& entry) {
  // A run that is opened sends its whole journal, and the entry of opening came by itself before.
  if (!m_entries.empty() && entry.sequence <= m_entries.back().sequence) return;
  const int row = static_cast<int>(m_entries.size());
  beginInsertRows({}, row, row);
  m_entries.push_back(entry);
  endInsertRows();
}

int JournalModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int JournalModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : JournalColumns;
}

QVariant JournalModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
  const auto& entry = m_entries.at(static_cast<std::size_t>(index.row()));
  switch (index.column()) {
    case Number:
      return static_cast<qlonglong>(entry.sequence);
    case Time:
      return role == Qt::ToolTipRole ? localText(entry.time) : utcText(entry.time);
    case Kind:
      return text(entry.kind).replace('_', ' ');
    case Payload:
      return role == Qt::ToolTipRole ? text(entry.payload).left(2000) : text(entry.payload).left(300);
    case Hash:
      return role == Qt::ToolTipRole ? text(entry.hash) : text(entry.hash).left(kHashShown);
    default:
      return {};
  }
}

QVariant JournalModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const kTitles[] = {QT_TR_NOOP("Entry"), QT_TR_NOOP("Time (UTC)"), QT_TR_NOOP("What"),
                                        QT_TR_NOOP("Content"), QT_TR_NOOP("Hash")};
  return section < JournalColumns ? tr(kTitles[section]) : QVariant();
}

JournalView::JournalView(QWidget* parent) : QTableView(parent), m_model(new JournalModel(this)) {
  setObjectName("journalView");
  setAccessibleName(tr("Journal of the run"));
  setModel(m_model);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().lineSpacing() + 6);
  horizontalHeader()->setSectionResizeMode(Payload, QHeaderView::Stretch);
  const auto wide = [this](const QString& sample) {
    return fontMetrics().horizontalAdvance(sample) + 2 * kPanelMargin;
  };
  setColumnWidth(Number, wide("Entry 0"));
  setColumnWidth(Time, wide("2026-00-00 00:00:00 UTC"));
  setColumnWidth(Kind, wide("evidence_recorded"));
  setColumnWidth(Hash, wide("000000000000"));
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setHighlightSections(false);
  setShowGrid(false);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setWordWrap(false);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setTabKeyNavigation(false);
  connect(m_model, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
    const auto* bar = verticalScrollBar();
    if (bar->value() != bar->maximum()) return;
    QMetaObject::invokeMethod(this, &QTableView::scrollToBottom, Qt::QueuedConnection);
  });
}

}  // namespace tidemark::ui
