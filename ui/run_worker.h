#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include <QObject>

#include "engine/core/error.h"
#include "ui/run_controller.h"

namespace tidemark::ui {

/// Owns environment and driver on the run thread, and turns the driver's callbacks into signals.
class RunWorker : public QObject {
  Q_OBJECT

 public:
  using DriverFactory =
      std::function<std::unique_ptr<runbook::RunDriver>(runbook::Environment&, runbook::RunObserver*)>;

  explicit RunWorker(RunController::EnvironmentFactory factory);
  ~RunWorker() override;

  // Run thread.
  void open(const DriverFactory& make);
  void run(int step, const std::function<void(runbook::RunDriver&)>& work);
  void showStep(int step);
  void listRuns(const std::filesystem::path& folder);
  void close();
  void writeReport(const std::filesystem::path& file);

  // Any thread: the driver allows these while it works. Nothing happens while no run is open.
  void requestStop();
  void pause(const std::string& cause);
  void resume();

 signals:
  void viewRead(const tidemark::ui::RunView& view);
  void entryWritten(const tidemark::runbook::JournalEntry& entry);
  void progressMade(const tidemark::Progress& progress);
  void waitSeen(const tidemark::ui::Waiting& waiting);
  void stateSeen(const tidemark::runbook::RunState& state);
  void runsRead(const tidemark::ui::RunList& list);
  void closed();
  void workBegun(const QString& words);
  void workFailed(const tidemark::ui::Failure& failure);
  void reportWritten(const QString& file);

 private:
  class Observer;

  void guarded(int step, const std::function<void()>& work);
  void readView();
  void release();
  /// `effectBefore`: the last effect announced before the command began.
  Failure failureOf(int step, const Error& error, std::int64_t effectBefore) const;
  void withDriver(const std::function<void(runbook::RunDriver&)>& call);

  RunController::EnvironmentFactory m_factory;
  std::unique_ptr<runbook::Environment> m_environment;
  std::unique_ptr<Observer> m_observer;
  std::unique_ptr<runbook::RunDriver> m_driver;
  std::mutex m_driverMutex;  ///< Guards the pointer while it is replaced; the driver guards itself.
  int m_shownStep = 1;
};

}  // namespace tidemark::ui
