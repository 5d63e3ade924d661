// The window's menus: every command of the console can be reached from here, and by keyboard.
#include <QAction>
#include <QActionGroup>
#include <QMenuBar>

#include "ui/help_panel.h"
#include "ui/journal_view.h"
#include "ui/main_window.h"
#include "ui/shortcuts_dialog.h"
#include "ui/start_page.h"
#include "ui/step_page.h"
#include "ui/work_strip.h"

namespace tidemark::ui {

namespace {

QAction* add(QMenu* menu, const QString& words, const char* name, const QKeySequence& keys,
             const std::function<void()>& work) {
  auto* action = menu->addAction(words);
  action->setObjectName(name);
  action->setShortcut(keys);
  QObject::connect(action, &QAction::triggered, menu, work);
  return action;
}

}  // namespace

void MainWindow::makeMenus() {
  addRunMenu();
  addStepMenu();
  auto* work = menuBar()->addMenu(tr("&Work"));
  m_needWork = {
      add(work, tr("&Pause"), "pauseAction", QKeySequence(Qt::CTRL | Qt::Key_P), [this] { m_work->pause(); }),
      add(work, tr("&Resume"), "resumeAction", QKeySequence(Qt::CTRL | Qt::Key_R), [this] { m_work->resume(); }),
      add(work, tr("&Stop"), "stopAction", QKeySequence(Qt::CTRL | Qt::Key_Period), [this] { m_work->stop(); })};
  addViewMenu();
  auto* help = menuBar()->addMenu(tr("&Help"));
  add(help, tr("Help for this &step"), "helpAction", QKeySequence::HelpContents,
      [this] { m_help->setVisible(!m_help->isVisible()); });
  add(help, tr("&Keyboard shortcuts"), "shortcutsAction", QKeySequence(Qt::CTRL | Qt::Key_K), [this] {
    auto* dialog = new ShortcutsDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
  });
  findChild<QAction*>("primaryAction")
      ->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)});
  refreshMenus();
}

void MainWindow::addRunMenu() {
  auto* run = menuBar()->addMenu(tr("R&un"));
  add(run, tr("&Begin from a profile…"), "beginAction", QKeySequence::Open, [this] { chooseProfile(); });
  auto* report = add(run, tr("Save the &report…"), "reportAction", QKeySequence::Save, [this] { saveReport(); });
  run->addSeparator();
  auto* undo = add(run, tr("&Undo the sweep…"), "undoAction", {}, [this] { undoSweep(); });
  auto* abandon = add(run, tr("&Abandon the run…"), "abandonAction", {}, [this] { abandonRun(); });
  auto* closeRun = add(run, tr("&Close the run"), "closeRunAction", QKeySequence(Qt::CTRL | Qt::Key_W),
                       [this] { m_controller.closeRun(); });
  run->addSeparator();
  add(run, tr("&Quit"), "quitAction", QKeySequence::Quit, [this] { close(); });
  m_needIdleRun = {report, undo, abandon, closeRun};
}

void MainWindow::addStepMenu() {
  auto* step = menuBar()->addMenu(tr("S&tep"));
  m_needRun = {
      add(step, tr("&Next thing to do"), "primaryAction", QKeySequence(Qt::CTRL | Qt::Key_Return),
          [this] { m_page->performPrimary(); }),
      add(step, tr("&Measure gates"), "measureAction", QKeySequence(Qt::Key_F5), [this] { m_page->measure(); }),
      add(step, tr("&Current step"), "currentStepAction", QKeySequence(Qt::CTRL | Qt::Key_Home),
          [this] { chooseStep(m_view.state.currentStep()); }),
      add(step, tr("&Previous step"), "previousStepAction", QKeySequence(Qt::CTRL | Qt::Key_PageUp),
          [this] { chooseStep(m_view.shownStep - 1); }),
      add(step, tr("F&ollowing step"), "followingStepAction", QKeySequence(Qt::CTRL | Qt::Key_PageDown),
          [this] { chooseStep(m_view.shownStep + 1); })};
}

void MainWindow::addViewMenu() {
  auto* view = menuBar()->addMenu(tr("&View"));
  auto* journal = add(view, tr("&Journal"), "journalAction", QKeySequence(Qt::CTRL | Qt::Key_J), {});
  journal->setCheckable(true);
  journal->setChecked(true);
  connect(journal, &QAction::toggled, m_journal, &QWidget::setVisible);
  view->addSeparator();
  auto* themes = new QActionGroup(this);
  const auto addTheme = [&](const QString& words, const char* name, Theme theme) {
    auto* action = add(view, words, name, {}, [this, theme] { setTheme(theme); });
    action->setCheckable(true);
    themes->addAction(action);
    return action;
  };
  addTheme(tr("Colours of the &system"), "systemThemeAction", Theme::System)->setChecked(true);
  addTheme(tr("&Light colours"), "lightThemeAction", Theme::Light);
  addTheme(tr("&Dark colours"), "darkThemeAction", Theme::Dark);
}

void MainWindow::refreshMenus() {
  const bool shown = runIsOpen();
  for (auto* action : m_needRun) action->setEnabled(shown);
  for (auto* action : m_needIdleRun) action->setEnabled(shown && !m_controller.busy());
  for (auto* action : m_needWork) action->setEnabled(m_controller.busy());
  findChild<QAction*>("beginAction")->setEnabled(!m_controller.busy());
}

}  // namespace tidemark::ui
