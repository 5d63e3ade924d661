#pragma once

#include <vector>

#include <QTableWidget>

#include "runbook/run_state.h"

namespace tidemark::ui {

/// The gates of a step: result in word and icon, value, limit, source and age. What to do about a gate that is not
/// open stands in a line of its own below it.
class GateTable : public QTableWidget {
  Q_OBJECT

 public:
  explicit GateTable(QWidget* parent = nullptr);
  /// `editable`: waivers can be given now.
  void show(const std::vector<runbook::Gate>& gates, bool editable);
  /// Ages and staleness as they are now; nothing is rebuilt.
  void refreshAges();
  /// Selects the gate and takes the focus: where a disabled button's reason links to. False when it is not here.
  bool reveal(const std::string& gate);
  /// Where the gate's row stands in the table, for scrolling to it.
  QRect rectOf(const std::string& gate) const;

 signals:
  void waiverWanted(const QString& gate);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void addGate(const runbook::Gate& gate, bool editable);
  void addNote(const QString& note);
  void shareWidth();
  void fitHeight();
  int rowOf(const std::string& gate) const;

  std::vector<runbook::Gate> m_gates;
  bool m_editable = false;
};

}  // namespace tidemark::ui
