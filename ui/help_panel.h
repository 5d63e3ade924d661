#pragma once

#include <QDockWidget>

class QTextBrowser;

namespace tidemark::ui {

/// Help for the step that is shown: what it is for, who measures and who decides, and how its page is used.
class HelpPanel : public QDockWidget {
  Q_OBJECT

 public:
  explicit HelpPanel(QWidget* parent = nullptr);
  /// 0: no run is open.
  void showStep(int step);

 private:
  QTextBrowser* m_text;
};

}  // namespace tidemark::ui
