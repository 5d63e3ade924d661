#include "ui/run_worker.h"

#include "engine/core/error.h"
#include "runbook/report.h"

namespace tidemark::ui {

using runbook::RunDriver;

namespace {
constexpr int kNoRead = -2;  ///< A command after which there is no view to read.
}

class RunWorker::Observer : public runbook::RunObserver {
 public:
  explicit Observer(RunWorker& worker) : m_worker(worker) {}

  void journalAppended(const runbook::JournalEntry& entry) override { emit m_worker.entryWritten(entry); }
  void progressed(const Progress& progress) override { emit m_worker.progressMade(progress); }
  void stateChanged(const runbook::RunState& state) override { emit m_worker.stateSeen(state); }
  bool waitingFor(const std::vector<Blocker>& blockers, std::chrono::milliseconds waited) override {
    emit m_worker.waitSeen({blockers, waited});
    return true;
  }

 private:
  RunWorker& m_worker;
};

RunWorker::RunWorker(RunController::EnvironmentFactory factory)
    : m_factory(std::move(factory)), m_observer(std::make_unique<Observer>(*this)) {}

RunWorker::~RunWorker() {
  // The driver releases its locks through the environment's connections: it goes first.
  release();
  m_environment.reset();
}

void RunWorker::open(const DriverFactory& make) {
  guarded(0, [&] {
    release();
    if (!m_environment) m_environment = m_factory();
    auto driver = make(*m_environment, m_observer.get());
    for (const auto& entry : driver->journal().entries()) emit entryWritten(entry);
    m_shownStep = driver->currentStep();
    const std::lock_guard lock(m_driverMutex);
    m_driver = std::move(driver);
  });
}

void RunWorker::release() {
  std::unique_ptr<RunDriver> old;
  {
    const std::lock_guard lock(m_driverMutex);
    old = std::move(m_driver);
  }
  // Its connections close here, outside the lock that Pause and Stop take.
  old.reset();
}

void RunWorker::close() {
  guarded(kNoRead, [&] { release(); });
  emit closed();
}

void RunWorker::listRuns(const std::filesystem::path& folder) {
  guarded(kNoRead, [&] { emit runsRead({runbook::listRuns(folder)}); });
}

void RunWorker::run(int step, const std::function<void(RunDriver&)>& work) {
  if (!m_driver) return;
  const int before = m_driver->currentStep();
  guarded(step, [&] { work(*m_driver); });
  // A pause belongs to the work that it was asked for in.
  m_driver->pauseControl().resume();
  // A finished step leads on to the next one; everything else stays where the operator looks.
  if (m_driver->currentStep() != before) m_shownStep = m_driver->currentStep();
  readView();
}

void RunWorker::showStep(int step) {
  m_shownStep = step;
  readView();
}

void RunWorker::writeReport(const std::filesystem::path& file) {
  if (!m_driver) return;
  guarded(kNoRead, [&] {
    runbook::writeReport(runbook::buildReport(m_driver->journal()), file);
    emit reportWritten(QString::fromStdString(file.string()));
  });
}

void RunWorker::requestStop() {
  withDriver([](RunDriver& driver) { driver.requestStop(); });
}

void RunWorker::pause(const std::string& cause) {
  withDriver([&](RunDriver& driver) { driver.pauseControl().pause(cause); });
}

void RunWorker::resume() {
  withDriver([](RunDriver& driver) { driver.pauseControl().resume(); });
}

void RunWorker::withDriver(const std::function<void(RunDriver&)>& call) {
  const std::lock_guard lock(m_driverMutex);
  if (m_driver) call(*m_driver);
}

void RunWorker::guarded(int step, const std::function<void()>& work) {
  const std::int64_t effect = m_driver ? m_driver->state().lastEffect : 0;
  try {
    work();
    if (step == 0) readView();
  } catch (const Error& error) {
    // Stop was asked for, and the strip said so at once.
    if (error.code() == Cancelled().code()) return;
    emit workFailed(failureOf(step, error, effect));
  } catch (const std::exception& error) {
    emit workFailed(failureOf(step, Error("internal", error.what()), effect));
  }
}

Failure RunWorker::failureOf(int step, const Error& error, std::int64_t effectBefore) const {
  std::string technical = error.detail().technical;
  if (!error.detail().systemCode.empty()) {
    technical += (technical.empty() ? "" : "\n") +
                 tr("System code: %1").arg(QString::fromStdString(error.detail().systemCode)).toStdString();
  }
  Failure failure{step, error.code(), error.what(), error.detail().hint, technical, {}};
  const bool announced = m_driver && m_driver->state().lastEffect != effectBefore;
  if (announced) failure.reach = FailureReach::Interrupted;
  if (error.detail().inDoubt) failure.reach = FailureReach::InDoubt;
  return failure;
}

void RunWorker::readView() {
  if (!m_driver) return;
  RunView view;
  view.shownStep = m_shownStep;
  try {
    view.questions = m_driver->questions(m_shownStep);
    view.actions = m_driver->actions(m_shownStep);
    view.obstacles = m_driver->obstacles(m_shownStep);
    view.doesNotApply = m_driver->doesNotApply(m_shownStep);
  } catch (const Error& error) {
    emit workFailed(failureOf(m_shownStep, error, m_driver->state().lastEffect));
  }
  view.banner = m_driver->banner();
  view.state = m_driver->state();
  emit viewRead(view);
}

}  // namespace tidemark::ui
