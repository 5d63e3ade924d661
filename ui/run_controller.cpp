#include "ui/run_controller.h"

#include "ui/run_worker.h"

namespace tidemark::ui {

using runbook::RunDriver;

RunController::RunController(EnvironmentFactory factory, QObject* parent)
    : QObject(parent), m_worker(new RunWorker(std::move(factory))) {
  qRegisterMetaType<RunView>();
  qRegisterMetaType<Failure>();
  qRegisterMetaType<Waiting>();
  qRegisterMetaType<Progress>();
  qRegisterMetaType<runbook::JournalEntry>();
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  connect(m_worker, &RunWorker::viewRead, this, &RunController::viewChanged);
  connect(m_worker, &RunWorker::entryWritten, this, &RunController::journalAppended);
  connect(m_worker, &RunWorker::progressMade, this, &RunController::progressed);
  connect(m_worker, &RunWorker::waitSeen, this, &RunController::waiting);
  connect(m_worker, &RunWorker::workFailed, this, &RunController::failed);
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
  post([this, profile, folder, dryRun] {
    m_worker->open([&](runbook::Environment& environment, runbook::RunObserver* observer) {
      runbook::DriverOptions options;
      options.dryRun = dryRun;
      return RunDriver::create(environment, profile, folder, observer, options);
    });
  });
}

void RunController::openRun(const std::filesystem::path& folder, const std::string& runId) {
  post([this, folder, runId] {
    m_worker->open([&](runbook::Environment& environment, runbook::RunObserver* observer) {
      return RunDriver::open(environment, folder, runId, observer);
    });
  });
}

void RunController::showStep(int step) {
  post([this, step] { m_worker->showStep(step); });
}

void RunController::answer(int step, const std::string& question, const std::string& value) {
  command(step, [=](RunDriver& driver) { driver.answer(step, question, value); });
}

void RunController::waive(int step, const std::string& gate, const std::string& reason,
                          const std::string& secondPerson) {
  command(step, [=](RunDriver& driver) { driver.waive(step, gate, reason, secondPerson); });
}

void RunController::arm() {
  command(-1, [](RunDriver& driver) { driver.arm(); });
}

void RunController::disarm() {
  command(-1, [](RunDriver& driver) { driver.disarm(); });
}

void RunController::measure(int step) {
  command(step, [=](RunDriver& driver) { driver.measure(step); });
}

void RunController::perform(int step, const std::string& action, const std::string& confirmation) {
  command(step, [=](RunDriver& driver) { driver.perform(step, action, confirmation); });
}

void RunController::finish(int step) {
  command(step, [=](RunDriver& driver) { driver.finish(step); });
}

void RunController::skip(int step) {
  command(step, [=](RunDriver& driver) { driver.skip(step); });
}

void RunController::reopen(int step, const std::string& reason) {
  command(step, [=](RunDriver& driver) { driver.reopen(step, reason); });
}

void RunController::acceptInterrupted() {
  command(-1, [](RunDriver& driver) { driver.acceptInterrupted(); });
}

void RunController::writeReport(const std::filesystem::path& file) {
  post([this, file] { m_worker->writeReport(file); });
}

void RunController::pause() {
  m_worker->pause(tr("paused by the operator").toStdString());
}

void RunController::resume() {
  m_worker->resume();
}

void RunController::stop() {
  m_worker->requestStop();
}

void RunController::command(int step, Command work) {
  post([this, step, work = std::move(work)] { m_worker->run(step, work); });
}

void RunController::post(std::function<void()> work) {
  if (m_pending++ == 0) emit busyChanged(true);
  QMetaObject::invokeMethod(
      m_worker,
      [this, work = std::move(work)] {
        work();
        QMetaObject::invokeMethod(this, &RunController::commandEnded, Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

void RunController::commandEnded() {
  if (--m_pending == 0) emit busyChanged(false);
}

}  // namespace tidemark::ui
