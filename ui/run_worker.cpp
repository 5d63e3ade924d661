#include "ui/run_worker.h"

#include "engine/core/error.h"
#include "runbook/report.h"

namespace tidemark::ui {

using runbook::RunDriver;

class RunWorker::Observer : public runbook::RunObserver {
 public:
  explicit Observer(RunWorker& worker) : m_worker(worker) {}

  void journalAppended(const runbook::JournalEntry& entry) override { emit m_worker.entryWritten(entry); }
  void progressed(const Progress& progress) override { emit m_worker.progressMade(progress); }
  void stateChanged(const runbook::RunState&) override {}
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
  withDriver([](RunDriver&) {});
  m_driver.reset();
  m_environment.reset();
}

void RunWorker::open(const DriverFactory& make) {
  guarded(0, [&] {
    std::unique_ptr<RunDriver> old;
    {
      const std::lock_guard lock(m_driverMutex);
      old = std::move(m_driver);
    }
    old.reset();
    if (!m_environment) m_environment = m_factory();
    auto driver = make(*m_environment, m_observer.get());
    for (const auto& entry : driver->journal().entries()) emit entryWritten(entry);
    m_shownStep = driver->currentStep();
    const std::lock_guard lock(m_driverMutex);
    m_driver = std::move(driver);
  });
}

void RunWorker::run(int step, const std::function<void(RunDriver&)>& work) {
  if (!m_driver) return;
  const int before = m_driver->currentStep();
  guarded(step, [&] { work(*m_driver); });
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
  guarded(0, [&] {
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
  try {
    work();
    if (step == 0) readView();
  } catch (const Error& error) {
    emit workFailed(
        {step, error.code(), error.what(), error.detail().hint, error.detail().technical, error.detail().inDoubt});
  } catch (const std::exception& error) {
    emit workFailed({step, "internal", error.what(), {}, {}, false});
  }
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
    emit workFailed({m_shownStep, error.code(), error.what(), error.detail().hint, error.detail().technical,
                     error.detail().inDoubt});
  }
  view.banner = m_driver->banner();
  view.state = m_driver->state();
  emit viewRead(view);
}

}  // namespace tidemark::ui
