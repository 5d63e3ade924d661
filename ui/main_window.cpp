#include "ui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include "engine/core/error.h"
#include "runbook/step.h"
#include "ui/banner.h"
#include "ui/dialogs.h"
#include "ui/help_panel.h"
#include "ui/journal_view.h"
#include "ui/page_parts.h"
#include "ui/start_page.h"
#include "ui/status_look.h"
#include "ui/step_list.h"
#include "ui/step_page.h"
#include "ui/work_strip.h"

namespace tidemark::ui {

namespace {

constexpr int kSweepStep = 11;
constexpr int kClockMilliseconds = 1000;

/// What the sweep marked and no undo has put back, as the run's evidence tells it.
std::uint64_t sweptRows(const runbook::RunState& state) {
  std::uint64_t rows = 0;
  for (const auto& [name, json] : state.step(kSweepStep).evidence) {
    if (!name.starts_with("swept.")) continue;
    const QJsonObject fact = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    rows += static_cast<std::uint64_t>(std::max<qint64>(0, fact["marked"].toInteger()));
  }
  return rows;
}

}  // namespace

MainWindow::MainWindow(RunController& controller, WindowSetup setup)
    : m_controller(controller),
      m_setup(std::move(setup)),
      m_systemPalette(QApplication::palette()),
      m_banner(new Banner(this)),
      m_steps(new StepList(this)),
      m_page(new StepPage(this)),
      m_start(new StartPage(this)),
      m_stack(new QStackedWidget(this)),
      m_work(new WorkStrip(this)),
      m_journal(new JournalView(this)),
      m_help(new HelpPanel(this)),
      m_clock(new QTimer(this)) {
  setObjectName("mainWindow");
  setWindowTitle(tr("Tidemark"));
  layOut();
  makeMenus();
  connectController();
  connectPage();
  connect(m_clock, &QTimer::timeout, this, [this] {
    if (!runIsOpen()) return;
    m_page->refreshAges();
    m_steps->show(m_view.state, m_view.shownStep);
  });
  m_clock->start(kClockMilliseconds);
  showStartPage();
}

void MainWindow::layOut() {
  resize(QSize(1280, 800).boundedTo(screen()->availableSize()));
  auto* right = new QSplitter(Qt::Vertical, this);
  right->addWidget(m_page);
  right->addWidget(m_journal);
  right->setStretchFactor(0, 1);
  right->setCollapsible(0, false);
  right->setSizes({560, 110});
  m_journal->setMinimumHeight(3 * m_journal->fontMetrics().lineSpacing());
  auto* across = new QSplitter(Qt::Horizontal, this);
  across->addWidget(m_steps);
  across->addWidget(right);
  across->setStretchFactor(1, 1);
  across->setCollapsible(1, false);
  m_stack->addWidget(m_start);
  m_stack->addWidget(across);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(kGap, kGap, kGap, kGap);
  layout->setSpacing(kGap);
  layout->addWidget(m_banner);
  layout->addWidget(m_stack, 1);
  layout->addWidget(m_work);
  setCentralWidget(centre);
  addDockWidget(Qt::RightDockWidgetArea, m_help);
  m_help->hide();
  setTabOrder(m_steps, m_page);
}

void MainWindow::beginDemo() {
  m_start->clearFailure();
  m_journal->entries().clear();
  m_controller.createRun(m_setup.demo, m_setup.runFolder, m_start->dryRun());
}

void MainWindow::beginRun(const std::filesystem::path& profileFile) {
  m_start->clearFailure();
  try {
    const auto profile = runbook::loadProfile(profileFile);
    m_journal->entries().clear();
    m_controller.createRun(profile, m_setup.runFolder, m_start->dryRun());
  } catch (const Error& error) {
    showFailure({0, error.code(), error.what(), error.detail().hint, error.detail().technical, {}});
  }
}

void MainWindow::openRun(const std::string& runId) {
  m_start->clearFailure();
  m_journal->entries().clear();
  m_controller.openRun(m_setup.runFolder, runId, m_start->dryRun());
}

void MainWindow::setTheme(Theme theme) {
  QApplication::setPalette(paletteOf(theme, m_systemPalette));
  if (runIsOpen()) showView(m_view);
}

void MainWindow::connectController() {
  connect(&m_controller, &RunController::viewChanged, this, &MainWindow::showView);
  connect(&m_controller, &RunController::stateChanged, this, &MainWindow::showState);
  connect(&m_controller, &RunController::journalAppended, this,
          [this](const runbook::JournalEntry& entry) { m_journal->entries().add(entry); });
  connect(&m_controller, &RunController::progressed, this,
          [this](const Progress& progress) { m_work->show(progress); });
  connect(&m_controller, &RunController::waiting, this, [this](const Waiting& waiting) { m_work->show(waiting); });
  connect(&m_controller, &RunController::workBegun, m_work, &WorkStrip::begin);
  connect(&m_controller, &RunController::busyChanged, this, &MainWindow::showBusy);
  connect(&m_controller, &RunController::failed, this, &MainWindow::showFailure);
  connect(&m_controller, &RunController::runsListed, m_start, &StartPage::showRuns);
  connect(&m_controller, &RunController::runClosed, this, &MainWindow::showStartPage);
  connect(&m_controller, &RunController::reportWritten, this,
          [this](const QString& file) { m_work->announce(tr("Report written to %1").arg(file)); });
  connect(m_work, &WorkStrip::pauseWanted, this, [this] { m_controller.pause(); });
  connect(m_work, &WorkStrip::resumeWanted, this, [this] { m_controller.resume(); });
  connect(m_work, &WorkStrip::stopWanted, this, [this] { m_controller.stop(); });
}

void MainWindow::connectPage() {
  connect(m_steps, &StepList::stepChosen, this, &MainWindow::chooseStep);
  connect(m_page, &StepPage::answered, this, [this](int step, const QString& question, const QString& value) {
    m_page->clearFailure();
    m_controller.answer(step, question.toStdString(), value.toStdString());
  });
  connect(m_page, &StepPage::measureWanted, this, [this](int step) { m_controller.measure(step); });
  connect(m_page, &StepPage::performWanted, this, &MainWindow::performAction);
  connect(m_page, &StepPage::waiverWanted, this, &MainWindow::waiveGate);
  connect(m_page, &StepPage::finishWanted, this, [this](int step) { m_controller.finish(step); });
  connect(m_page, &StepPage::skipWanted, this, [this](int step) { m_controller.skip(step); });
  connect(m_page, &StepPage::reopenWanted, this, &MainWindow::reopenStep);
  connect(m_page, &StepPage::resumeWanted, this, [this] { m_controller.acceptInterrupted(); });
  connect(m_page, &StepPage::reportWanted, this, &MainWindow::saveReport);
  connect(m_banner, &Banner::armWanted, this, &MainWindow::armRun);
  connect(m_banner, &Banner::disarmWanted, this, [this] { m_controller.disarm(); });
  connect(m_start, &StartPage::demoWanted, this, &MainWindow::beginDemo);
  connect(m_start, &StartPage::runWanted, this, [this](const QString& id) { openRun(id.toStdString()); });
  connect(m_start, &StartPage::profileWanted, this, &MainWindow::chooseProfile);
}

void MainWindow::showView(const RunView& view) {
  m_view = view;
  m_stack->setCurrentIndex(1);
  m_banner->show(view.banner);
  m_steps->show(view.state, view.shownStep);
  m_page->show(view);
  m_help->showStep(view.shownStep);
  setWindowTitle(tr("%1, %2 — Tidemark").arg(text(view.state.runId), text(view.banner.environment)));
  refreshMenus();
}

void MainWindow::showState(const runbook::RunState& state) {
  // While the run is being opened there is no page yet.
  if (!runIsOpen() || state.runId != m_view.state.runId) return;
  m_view.state = state;
  m_view.banner.armed = state.armed;
  m_banner->show(m_view.banner);
  m_steps->show(m_view.state, m_view.shownStep);
}

void MainWindow::showFailure(const Failure& failure) {
  // Before a run is open there is no step page to say it on.
  if (runIsOpen()) {
    m_page->showFailure(failure);
  } else {
    m_start->showFailure(failure);
  }
}

void MainWindow::showBusy(bool busy) {
  m_work->setBusy(busy);
  m_page->setBusy(busy);
  m_start->setBusy(busy);
  m_banner->setBusy(busy);
  refreshMenus();
  if (!busy && m_closing) close();
}

void MainWindow::showStartPage() {
  m_view = {};
  m_stack->setCurrentIndex(0);
  m_banner->show({});
  m_help->showStep(0);
  setWindowTitle(tr("Tidemark"));
  refreshMenus();
  m_controller.listRuns(m_setup.runFolder);
}

void MainWindow::chooseStep(int step) {
  if (step < 1 || step > runbook::kSteps) return;
  if (m_controller.busy()) {
    // What is known without asking the run thread is shown at once; questions and actions follow when it is free.
    RunView view = m_view;
    view.shownStep = step;
    view.questions.clear();
    view.actions.clear();
    view.obstacles.clear();
    view.doesNotApply.clear();
    showView(view);
  }
  m_controller.showStep(step);
}

void MainWindow::ask(const Confirmation& asked, const std::function<void(const ConfirmDialog&)>& accepted) {
  auto* dialog = new ConfirmDialog(asked, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [dialog, accepted] { accepted(*dialog); });
  dialog->open();
}

void MainWindow::performAction(int step, const runbook::Action& action) {
  m_page->clearFailure();
  if (!action.writes && action.confirmation.empty()) {
    m_controller.perform(step, action.id, {});
    return;
  }
  ask(actionConfirmation(action, targetText()),
      [this, step, id = action.id](const ConfirmDialog& dialog) { m_controller.perform(step, id, dialog.typed()); });
}

void MainWindow::waiveGate(int step, const runbook::Gate& gate) {
  auto* dialog = new WaiverDialog(gate, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, step, id = gate.id] {
    m_controller.waive(step, id, dialog->reason(), dialog->secondPerson());
  });
  dialog->open();
}

void MainWindow::reopenStep(int step) {
  const auto& info = runbook::stepInfos().at(static_cast<std::size_t>(step - 1));
  ask(reopenConfirmation(step, text(info.title)),
      [this, step](const ConfirmDialog& dialog) { m_controller.reopen(step, dialog.reason()); });
}

void MainWindow::armRun() {
  ask(armConfirmation(targetText()), [this](const ConfirmDialog&) { m_controller.arm(); });
}

void MainWindow::undoSweep() {
  const std::uint64_t rows = sweptRows(m_view.state);
  QString shut;
  if (rows == 0) shut = tr("This run's sweep has marked no row.");
  if (shut.isEmpty() && m_view.banner.dryRun) shut = tr("This is a dry run: it writes nothing.");
  if (shut.isEmpty() && !m_view.state.armed) shut = tr("The run is not armed. Arm it in the banner first.");
  ask(undoConfirmation(targetText(), text(m_view.banner.sinkTable), rows, shut),
      [this](const ConfirmDialog&) { m_controller.undoSweep(); });
}

void MainWindow::abandonRun() {
  auto asked = abandonConfirmation(targetText(), text(m_view.banner.sinkTable));
  if (m_view.state.phase != runbook::RunPhase::Open) asked.shutBecause = tr("The run has ended already.");
  ask(asked, [this](const ConfirmDialog& dialog) { m_controller.abandon(dialog.reason()); });
}

void MainWindow::chooseProfile() {
  auto* dialog = new QFileDialog(this, tr("Profile"), QString(), tr("Profiles (*.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { beginRun(file.toStdString()); });
  dialog->open();
}

void MainWindow::saveReport() {
  auto* dialog = new QFileDialog(this, tr("Save the report"), QString(), tr("Page (*.html);;Canonical JSON (*.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName("reportDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("html");
  dialog->selectFile(text(m_view.state.runId) + ".html");
  connect(dialog, &QFileDialog::filterSelected, dialog,
          [dialog](const QString& filter) { dialog->setDefaultSuffix(filter.contains("json") ? "json" : "html"); });
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& file) { m_controller.writeReport(file.toStdString()); });
  dialog->open();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!m_controller.busy()) {
    event->accept();
    return;
  }
  event->ignore();
  if (m_closing) return;
  ask(closeConfirmation(), [this](const ConfirmDialog&) {
    m_closing = true;
    m_work->stop();
    if (!m_controller.busy()) close();
  });
}

bool MainWindow::runIsOpen() const {
  return !m_view.state.runId.empty();
}

QString MainWindow::targetText() const {
  const auto& banner = m_view.banner;
  const QString environment = banner.production ? tr("PRODUCTION") : text(banner.environment);
  return banner.sink.empty() ? tr("%1 (%2)").arg(text(banner.sinkTable), environment)
                             : tr("%1 on %2 (%3)").arg(text(banner.sinkTable), text(banner.sink), environment);
}

}  // namespace tidemark::ui
