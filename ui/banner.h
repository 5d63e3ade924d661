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

 signals:
  void armWanted();
  void disarmWanted();

 private:
  QLabel* m_environment;
  QLabel* m_tables;
  QLabel* m_mode;
  QPushButton* m_arm;
  bool m_armed = false;
};

}  // namespace tidemark::ui
