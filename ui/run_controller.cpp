#include "ui/run_controller.h"

#include "ui/run_worker.h"

namespace tidemark::ui {

using runbook::RunDriver;

namespace {
constexpr int kWholeRun = -1;  ///< A command that belongs to no step.
}

RunController::RunController(EnvironmentFactory factory, QObject* parent)
    : QObject(parent), m_worker(new RunWorker(std::move(factory))) {
  qRegisterMetaType<RunView>();
  qRegisterMetaType<Failure>();
  qRegisterMetaType<Waiting>();
  qRegisterMetaType<Progress>();
  qRegisterMetaType<runbook::JournalEntry>();
  qRegisterMetaType<runbook::RunState>();
  qRegisterMetaType<RunList>();
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  connect(m_worker, &RunWorker::viewRead, this, &RunController::viewChanged);
  connect(m_worker, &RunWorker::entryWritten, this, &RunController::journalAppended);
  connect(m_worker, &RunWorker::progressMade, this, &RunController::progressed);
  connect(m_worker, &RunWorker::waitSeen, this, &RunController::waiting);
  connect(m_worker, &RunWorker::workFailed, this, &RunController::failed);
  connect(m_worker, &RunWorker::stateSeen, this, &RunController::stateChanged);
  connect(m_worker, &RunWorker::runsRead, this, &RunController::runsListed);
  connect(m_worker, &RunWorker::closed, this, &RunController::runClosed);
  connect(m_worker, &RunWorker::workBegun, this, &RunController::workBegun);
  connect(m_worker, &RunWorker::reportWritten, this, &RunController::reportWritten);
  m_thread.setObjectName("run");
  m_thread.start();
}

RunController::~RunController() {
  m_worker->requestStop();
  m_thread.quit();
  m_thread.wait();
}

void RunController::createRun(const runbook::Profile& profile, const std::filesystem::path& folder, bool dryRun) {
  post(tr("Beginning a run on %1").arg(QString::fromStdString(profile.name)), [this, profile, folder, dryRun] {
    m_worker->open([&](runbook::Environment& environment, runbook::RunObserver* observer) {
      runbook::DriverOptions options;
      options.dryRun = dryRun;
      return RunDriver::create(environment, profile, folder, observer, options);
    });
  });
}

void RunController::openRun(const std::filesystem::path& folder, const std::string& runId, bool dryRun) {
  post(tr("Opening run %1").arg(QString::fromStdString(runId)), [this, folder, runId, dryRun] {
    m_worker->open([&](runbook::Environment& environment, runbook::RunObserver* observer) {
      runbook::DriverOptions options;
      options.dryRun = dryRun;
      return RunDriver::open(environment, folder, runId, observer, options);
    });
  });
}

void RunController::showStep(int step) {
  post(tr("Reading step %1").arg(step), [this, step] { m_worker->showStep(step); });
}

void RunController::answer(int step, const std::string& question, const std::string& value) {
  command(step, tr("Writing down the answer"), [=](RunDriver& driver) { driver.answer(step, question, value); });
}

void RunController::waive(int step, const std::string& gate, const std::string& reason,
                          const std::string& secondPerson) {
  command(step, tr("Writing down the waiver"),
          [=](RunDriver& driver) { driver.waive(step, gate, reason, secondPerson); });
}

void RunController::arm() {
  command(kWholeRun, tr("Arming the run"), [](RunDriver& driver) { driver.arm(); });
}

void RunController::disarm() {
  command(kWholeRun, tr("Disarming the run"), [](RunDriver& driver) { driver.disarm(); });
}

void RunController::measure(int step) {
  command(step, tr("Measuring the gates of step %1").arg(step), [=](RunDriver& driver) { driver.measure(step); });
}

void RunController::perform(int step, const std::string& action, const std::string& confirmation) {
  command(step, tr("Working on step %1").arg(step),
          [=](RunDriver& driver) { driver.perform(step, action, confirmation); });
}

void RunController::finish(int step) {
  command(step, tr("Finishing step %1").arg(step), [=](RunDriver& driver) { driver.finish(step); });
}

void RunController::skip(int step) {
  command(step, tr("Skipping step %1").arg(step), [=](RunDriver& driver) { driver.skip(step); });
}

void RunController::reopen(int step, const std::string& reason) {
  command(step, tr("Opening step %1 again").arg(step), [=](RunDriver& driver) { driver.reopen(step, reason); });
}

void RunController::acceptInterrupted() {
  command(kWholeRun, tr("Going on from what was found"), [](RunDriver& driver) { driver.acceptInterrupted(); });
}

void RunController::undoSweep() {
  command(kWholeRun, tr("Putting back what the sweep marked"), [](RunDriver& driver) { driver.undoSweep(); });
}

void RunController::abandon(const std::string& reason) {
  command(kWholeRun, tr("Abandoning the run"), [=](RunDriver& driver) { driver.abandon(reason); });
}

void RunController::closeRun() {
  post(tr("Closing the run"), [this] { m_worker->close(); });
}

void RunController::listRuns(const std::filesystem::path& folder) {
  post(tr("Reading the list of runs"), [this, folder] { m_worker->listRuns(folder); });
}

void RunController::writeReport(const std::filesystem::path& file) {
  post(tr("Writing the report"), [this, file] { m_worker->writeReport(file); });
}

void RunController::pause() {
  m_worker->pause(tr("by the operator").toStdString());
}

void RunController::resume() {
  m_worker->resume();
}

void RunController::stop() {
  m_worker->requestStop();
}

void RunController::command(int step, const QString& words, Command work) {
  post(words, [this, step, work = std::move(work)] { m_worker->run(step, work); });
}

void RunController::post(const QString& words, std::function<void()> work) {
  if (m_pending++ == 0) emit busyChanged(true);
  QMetaObject::invokeMethod(
      m_worker,
      [this, words, work = std::move(work)] {
        emit m_worker->workBegun(words);
        work();
        QMetaObject::invokeMethod(this, &RunController::commandEnded, Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

void RunController::commandEnded() {
  if (--m_pending == 0) emit busyChanged(false);
}

}  // namespace tidemark::ui
