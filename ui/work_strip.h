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
  /// Names the work that begins: "Measuring the gates of step 4".
  void begin(const QString& work);
  /// Stands there when the running work has ended, until the next begins.
  void announce(const QString& words);
  void show(const Progress& progress);
  void show(const Waiting& waiting);

 public slots:
  void pause();
  void resume();
  void stop();

 signals:
  void pauseWanted();
  void resumeWanted();
  void stopWanted();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fixHeight();
  void setWords(const QString& words);
  void say(const QString& words);
  void refreshButtons();

  bool m_busy = false;
  bool m_paused = false;
  bool m_stopping = false;
  QString m_announced;
  QLabel* m_words;
  QProgressBar* m_bar;
  QPushButton* m_pause;
  QPushButton* m_resume;
  QPushButton* m_stop;
};

}  // namespace tidemark::ui
