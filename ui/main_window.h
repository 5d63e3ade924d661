#pragma once

#include <filesystem>

#include <QMainWindow>

#include "ui/run_controller.h"

class QLabel;
class QScrollArea;
class QStackedWidget;

namespace tidemark::ui {

class Banner;
class JournalView;
class StartPage;
class StepList;
class StepPage;
class WorkStrip;

/// Where the window finds and makes runs.
struct WindowSetup {
  std::filesystem::path runFolder;
  runbook::Profile demo;  ///< What "Try the demo" begins a run with.
};

/// The console: banner, step list, step page, running work and journal. Draws values; decides nothing.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(RunController& controller, WindowSetup setup);

  void beginDemo();
  void beginRun(const std::filesystem::path& profileFile);
  void openRun(const std::string& runId);

 private:
  void connectController();
  void connectPage();
  void makeMenus();
  void showView(const RunView& view);
  void performAction(int step, const runbook::Action& action);
  void waiveGate(int step, const runbook::Gate& gate);
  void armRun();
  void saveReport();
  QString targetText() const;

  RunController& m_controller;
  WindowSetup m_setup;
  RunView m_view;
  Banner* m_banner;
  StepList* m_steps;
  StepPage* m_page;
  QScrollArea* m_pageArea;
  StartPage* m_start;
  QStackedWidget* m_stack;
  WorkStrip* m_work;
  JournalView* m_journal;
};

}  // namespace tidemark::ui
