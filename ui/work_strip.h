#pragma once

#include <QFrame>

#include "ui/run_view.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace tidemark::ui {

/// Running work: figures, Pause, Resume and Stop. The three buttons never move and answer at once.
class WorkStrip : public QFrame {
  Q_OBJECT

 public:
  explicit WorkStrip(QWidget* parent = nullptr);
  void setBusy(bool busy);
  void show(const Progress& progress);
  void show(const Waiting& waiting);

 signals:
  void pauseWanted();
  void resumeWanted();
  void stopWanted();

 private:
  QLabel* m_words;
  QProgressBar* m_bar;
  QPushButton* m_pause;
  QPushButton* m_resume;
  QPushButton* m_stop;
};

}  // namespace tidemark::ui
