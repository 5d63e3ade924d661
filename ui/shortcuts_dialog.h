#pragma once

#include <QDialog>

namespace tidemark::ui {

/// All keys of a window, read from its actions.
class ShortcutsDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutsDialog(QWidget* window);
};

}  // namespace tidemark::ui
