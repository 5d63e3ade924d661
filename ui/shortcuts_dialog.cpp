#include "ui/shortcuts_dialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/page_parts.h"

namespace tidemark::ui {

namespace {

QString plain(QString words) {
  return words.remove('&').remove(QChar(0x2026));
}

}  // namespace

ShortcutsDialog::ShortcutsDialog(QWidget* window) : QDialog(window) {
  setObjectName("shortcutsDialog");
  setWindowTitle(tr("Keyboard shortcuts"));
  auto* table = new QTableWidget(0, 2, this);
  table->setObjectName("shortcutsTable");
  table->setAccessibleName(tr("Keyboard shortcuts"));
  table->setHorizontalHeaderLabels({tr("Keys"), tr("What they do")});
  table->verticalHeader()->hide();
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->setTabKeyNavigation(false);
  const auto add = [table](const QString& keys, const QString& words) {
    const int row = table->rowCount();
    table->insertRow(row);
    table->setItem(row, 0, new QTableWidgetItem(keys));
    table->setItem(row, 1, new QTableWidgetItem(words));
  };
  for (const auto* action : window->findChildren<QAction*>()) {
    if (!action->shortcut().isEmpty())
      add(action->shortcut().toString(QKeySequence::NativeText), plain(action->text()));
  }
  add(tr("Tab, Shift+Tab"), tr("Next and previous field, in reading order"));
  add(tr("Alt and the underlined letter"), tr("Press that button, or go to that field"));
  add(tr("Enter in a field"), tr("Write down the answer of that field"));
  add(tr("Escape"), tr("Cancel a dialog; never ends work that runs"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kPageMargin, kPageMargin, kPageMargin, kPageMargin);
  layout->setSpacing(kGap);
  layout->addWidget(table, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  constexpr int kWidth = 560;
  constexpr int kHeight = 460;
  resize(kWidth, kHeight);
}

}  // namespace tidemark::ui
