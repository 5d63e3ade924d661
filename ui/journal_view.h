#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QTableView>

#include "runbook/journal.h"

namespace tidemark::ui {

/// The journal as a table: number, time, what, and the start of the payload and hash.
class JournalModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  void clear();
  void add(const runbook::JournalEntry& entry);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<runbook::JournalEntry> m_entries;
};

/// Shows the newest entry unless the reader has scrolled up.
class JournalView : public QTableView {
  Q_OBJECT

 public:
  explicit JournalView(QWidget* parent = nullptr);
  JournalModel& entries() { return *m_model; }

 private:
  JournalModel* m_model;
};

}  // namespace tidemark::ui
