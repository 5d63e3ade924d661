#pragma once

#include <filesystem>

#include <QWidget>

class QListWidget;

namespace tidemark::ui {

/// What the window shows while no run is open: go on with a run, begin one from a profile, or try the demo.
class StartPage : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent = nullptr);
  /// Reads the runs of the folder; takes no lock.
  void listRuns(const std::filesystem::path& folder);

 signals:
  void demoWanted();
  void profileWanted();
  void runWanted(const QString& runId);

 private:
  QListWidget* m_runs;
};

}  // namespace tidemark::ui
