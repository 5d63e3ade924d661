#include "ui/main_window.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenuBar>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include "engine/core/error.h"
#include "ui/banner.h"
#include "ui/dialogs.h"
#include "ui/journal_view.h"
#include "ui/start_page.h"
#include "ui/status_look.h"
#include "ui/step_list.h"
#include "ui/step_page.h"
#include "ui/work_strip.h"

namespace tidemark::ui {

MainWindow::MainWindow(RunController& controller, WindowSetup setup)
    : m_controller(controller),
      m_setup(std::move(setup)),
      m_banner(new Banner(this)),
      m_steps(new StepList(this)),
      m_page(new StepPage),
      m_pageArea(new QScrollArea(this)),
      m_start(new StartPage),
      m_stack(new QStackedWidget(this)),
      m_work(new WorkStrip(this)),
      m_journal(new JournalView(this)) {
  setWindowTitle(tr("Tidemark"));
  resize(1280, 820);
  m_pageArea->setWidget(m_page);
  m_pageArea->setWidgetResizable(true);
  m_pageArea->setFrameShape(QFrame::NoFrame);
  m_pageArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* across = new QSplitter(Qt::Horizontal, this);
  across->addWidget(m_steps);
  across->addWidget(m_pageArea);
  across->setStretchFactor(1, 1);
  auto* down = new QSplitter(Qt::Vertical, this);
  down->addWidget(across);
  down->addWidget(m_journal);
  down->setStretchFactor(0, 1);
  down->setSizes({620, 130});
  m_stack->addWidget(m_start);
  m_stack->addWidget(down);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->addWidget(m_banner);
  layout->addWidget(m_stack, 1);
  layout->addWidget(m_work);
  setCentralWidget(centre);
  makeMenus();
  connectController();
  connectPage();
  m_start->listRuns(m_setup.runFolder);
}

void MainWindow::beginDemo() {
  m_journal->entries().clear();
  m_controller.createRun(m_setup.demo, m_setup.runFolder, false);
}

void MainWindow::beginRun(const std::filesystem::path& profileFile) {
  try {
    const auto profile = runbook::loadProfile(profileFile);
    m_journal->entries().clear();
    m_controller.createRun(profile, m_setup.runFolder, false);
  } catch (const Error& error) {
    statusBar()->showMessage(text(error.what()) + " " + text(error.detail().hint));
  }
}

void MainWindow::openRun(const std::string& runId) {
  m_journal->entries().clear();
  m_controller.openRun(m_setup.runFolder, runId);
}

void MainWindow::makeMenus() {
  auto* run = menuBar()->addMenu(tr("R&un"));
  auto* begin = run->addAction(tr("&Begin from a profile…"));
  connect(begin, &QAction::triggered, m_start, &StartPage::profileWanted);
  auto* report = run->addAction(tr("Save the &report…"), this, &MainWindow::saveReport);
  report->setShortcut(QKeySequence::Save);
  run->addSeparator();
  auto* quit = run->addAction(tr("&Quit"), this, &QWidget::close);
  quit->setShortcut(QKeySequence::Quit);
  auto* work = menuBar()->addMenu(tr("&Work"));
  work->addAction(tr("&Pause"), QKeySequence(Qt::CTRL | Qt::Key_P), &m_controller, [this] { m_controller.pause(); });
  work->addAction(tr("&Resume"), QKeySequence(Qt::CTRL | Qt::Key_R), &m_controller, [this] { m_controller.resume(); });
  work->addAction(tr("&Stop"), QKeySequence(Qt::CTRL | Qt::Key_Period), &m_controller, [this] { m_controller.stop(); });
}

void MainWindow::connectController() {
  connect(&m_controller, &RunController::viewChanged, this, &MainWindow::showView);
  connect(&m_controller, &RunController::journalAppended, this,
          [this](const runbook::JournalEntry& entry) { m_journal->entries().add(entry); });
  connect(&m_controller, &RunController::progressed, this,
          [this](const Progress& progress) { m_work->show(progress); });
  connect(&m_controller, &RunController::waiting, this, [this](const Waiting& waiting) { m_work->show(waiting); });
  connect(&m_controller, &RunController::busyChanged, m_work, &WorkStrip::setBusy);
  connect(&m_controller, &RunController::busyChanged, m_page, &StepPage::setBusy);
  connect(&m_controller, &RunController::failed, this, [this](const Failure& failure) {
    // Before a run is open there is no step page to say it on.
    if (m_view.state.runId.empty()) {
      statusBar()->showMessage(text(failure.message) + " " + text(failure.hint));
      return;
    }
    m_page->showFailure(failure);
    m_pageArea->ensureVisible(0, 0);
  });
  connect(&m_controller, &RunController::reportWritten, this,
          [this](const QString& file) { statusBar()->showMessage(tr("Report written to %1").arg(file)); });
  connect(m_work, &WorkStrip::pauseWanted, this, [this] { m_controller.pause(); });
  connect(m_work, &WorkStrip::resumeWanted, this, [this] { m_controller.resume(); });
  connect(m_work, &WorkStrip::stopWanted, this, [this] { m_controller.stop(); });
}

void MainWindow::connectPage() {
  connect(m_steps, &StepList::stepChosen, this, [this](int step) { m_controller.showStep(step); });
  connect(m_page, &StepPage::answered, this, [this](int step, const QString& question, const QString& value) {
    m_page->clearFailure();
    m_controller.answer(step, question.toStdString(), value.toStdString());
  });
  connect(m_page, &StepPage::measureWanted, this, [this](int step) {
    m_page->clearFailure();
    m_controller.measure(step);
  });
  connect(m_page, &StepPage::performWanted, this, &MainWindow::performAction);
  connect(m_page, &StepPage::waiverWanted, this, &MainWindow::waiveGate);
  connect(m_page, &StepPage::finishWanted, this, [this](int step) { m_controller.finish(step); });
  connect(m_page, &StepPage::skipWanted, this, [this](int step) { m_controller.skip(step); });
  connect(m_page, &StepPage::resumeWanted, this, [this] { m_controller.acceptInterrupted(); });
  connect(m_banner, &Banner::armWanted, this, &MainWindow::armRun);
  connect(m_banner, &Banner::disarmWanted, this, [this] { m_controller.disarm(); });
  connect(m_start, &StartPage::demoWanted, this, &MainWindow::beginDemo);
  connect(m_start, &StartPage::runWanted, this, [this](const QString& id) { openRun(id.toStdString()); });
  connect(m_start, &StartPage::profileWanted, this, [this] {
    const QString file = QFileDialog::getOpenFileName(this, tr("Profile"), QString(), tr("Profiles (*.json)"));
    if (!file.isEmpty()) beginRun(file.toStdString());
  });
}

void MainWindow::showView(const RunView& view) {
  m_view = view;
  m_stack->setCurrentIndex(1);
  m_banner->show(view.banner);
  m_steps->show(view.state, view.shownStep);
  m_page->show(view);
  setWindowTitle(tr("Tidemark — %1, %2").arg(text(view.state.runId), text(view.banner.environment)));
}

void MainWindow::performAction(int step, const runbook::Action& action) {
  m_page->clearFailure();
  if (!action.writes && action.confirmation.empty()) {
    m_controller.perform(step, action.id, {});
    return;
  }
  auto* dialog = new ActionDialog(action, targetText(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this,
          [this, dialog, step, id = action.id] { m_controller.perform(step, id, dialog->typed()); });
  dialog->open();
}

void MainWindow::waiveGate(int step, const runbook::Gate& gate) {
  auto* dialog = new WaiverDialog(gate, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, step, id = gate.id] {
    m_controller.waive(step, id, dialog->reason(), dialog->secondPerson());
  });
  dialog->open();
}

void MainWindow::armRun() {
  auto* dialog = new ArmDialog(targetText(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this] { m_controller.arm(); });
  dialog->open();
}

void MainWindow::saveReport() {
  const QString file = QFileDialog::getSaveFileName(this, tr("Report"), text(m_view.state.runId) + ".html",
                                                    tr("Page (*.html);;Canonical JSON (*.json)"));
  if (!file.isEmpty()) m_controller.writeReport(file.toStdString());
}

QString MainWindow::targetText() const {
  return tr("%1 on %2 (%3)")
      .arg(text(m_view.banner.sinkTable), text(m_view.banner.sink), text(m_view.banner.environment));
}

}  // namespace tidemark::ui
