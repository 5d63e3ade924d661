#pragma once

#include <QFrame>

#include "ui/run_view.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace tidemark::ui {

/// A failure where it happened: what, what it means for the data, what to do now; details on request. The same failure
/// again raises a counter.
class FailurePanel : public QFrame {
  Q_OBJECT

 public:
  explicit FailurePanel(QWidget* parent = nullptr);
  void show(const Failure& failure);
  void clear();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void drawMark();
  QString wholeText() const;

  Failure m_failure;
  int m_times = 0;
  QLabel* m_mark;
  QLabel* m_message;
  QLabel* m_meaning;
  QLabel* m_hint;
  QPushButton* m_showDetails;
  QPushButton* m_copy;
  QPlainTextEdit* m_details;
};

}  // namespace tidemark::ui
