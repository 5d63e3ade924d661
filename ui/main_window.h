#pragma once

#include <filesystem>

#include <QMainWindow>

#include "ui/run_controller.h"
#include "ui/theme.h"

class QMenu;
class QSplitter;
class QStackedWidget;
class QTimer;

namespace tidemark::ui {

class Banner;
struct Confirmation;
class ConfirmDialog;
class HelpPanel;
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
  void setTheme(Theme theme);

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  void layOut();
  void connectController();
  void connectPage();
  void makeMenus();
  void addRunMenu();
  void addStepMenu();
  void addViewMenu();
  void refreshMenus();

  void showView(const RunView& view);
  void showState(const runbook::RunState& state);
  void showFailure(const Failure& failure);
  void showBusy(bool busy);
  void showStartPage();
  void chooseStep(int step);

  void performAction(int step, const runbook::Action& action);
  void waiveGate(int step, const runbook::Gate& gate);
  void reopenStep(int step);
  void armRun();
  void undoSweep();
  void abandonRun();
  void chooseProfile();
  void saveReport();
  /// Opens the dialog without waiting for it; `accepted` runs when its button was pressed.
  void ask(const Confirmation& asked, const std::function<void(const ConfirmDialog&)>& accepted);
  bool runIsOpen() const;
  QString targetText() const;

  RunController& m_controller;
  WindowSetup m_setup;
  RunView m_view;
  bool m_closing = false;
  QPalette m_systemPalette;
  Banner* m_banner;
  StepList* m_steps;
  StepPage* m_page;
  StartPage* m_start;
  QStackedWidget* m_stack;
  WorkStrip* m_work;
  JournalView* m_journal;
  HelpPanel* m_help;
  QTimer* m_clock;
  std::vector<QAction*> m_needRun;      ///< Off while no run is shown.
  std::vector<QAction*> m_needIdleRun;  ///< Off while work runs, too.
  std::vector<QAction*> m_needWork;     ///< Off while nothing runs.
};

}  // namespace tidemark::ui
