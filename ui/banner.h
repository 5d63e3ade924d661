#pragma once

#include <QFrame>

#include "runbook/run_driver.h"

class QLabel;
class QPushButton;

namespace tidemark::ui {

/// Stands over every page: environment, tables, hosts and roles, and whether the run may write. Production differs by
/// word, icon and colour.
class Banner : public QFrame {
  Q_OBJECT

 public:
  explicit Banner(QWidget* parent = nullptr);
  void show(const runbook::Banner& banner);
  /// Arming waits for running work; disarming too.
  void setBusy(bool busy);

 signals:
  void armWanted();
  void disarmWanted();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void draw();
  void refreshArm();
  void drawMark(QLabel* label, const QIcon& icon);

  runbook::Banner m_shown;
  bool m_busy = false;
  QLabel* m_environmentMark;
  QLabel* m_environment;
  QLabel* m_tables;
  QLabel* m_modeMark;
  QLabel* m_mode;
  QPushButton* m_arm;
};

}  // namespace tidemark::ui
