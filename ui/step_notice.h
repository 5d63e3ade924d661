#pragma once

#include <QFrame>

#include "ui/run_view.h"

class QLabel;
class QPushButton;

namespace tidemark::ui {

/// What the operator has to know before anything else on the page: what happened to an interrupted effect, with the
/// button that goes on; or how the run ended, with the button that saves its report.
class StepNotice : public QFrame {
  Q_OBJECT

 public:
  explicit StepNotice(QWidget* parent = nullptr);
  void show(const runbook::RunState& state);
  void setBusy(bool busy);
  std::vector<QWidget*> tabStops() const;

 signals:
  void resumeWanted();
  void reportWanted();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showInterrupted(const runbook::InterruptedEffect& effect);
  void showEnd(const runbook::RunState& state);
  void drawMark();

  bool m_good = false;
  QLabel* m_mark;
  QLabel* m_heading;
  QLabel* m_words;
  QPushButton* m_goOn;
  QPushButton* m_save;
};

}  // namespace tidemark::ui
