#pragma once

#include <vector>

#include <QTableWidget>

#include "runbook/run_state.h"

namespace tidemark::ui {

/// The gates of a step: result in word and icon, value, limit, source and age. A shut gate says what to do below it.
class GateTable : public QTableWidget {
  Q_OBJECT

 public:
  explicit GateTable(QWidget* parent = nullptr);
  void show(const std::vector<runbook::Gate>& gates);
  /// Selects the gate and scrolls to it: where a disabled button's reason links to.
  void reveal(const std::string& gate);

 signals:
  void waiverWanted(const QString& gate);

 private:
  void fitHeight();
};

}  // namespace tidemark::ui
