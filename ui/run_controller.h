#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <QObject>
#include <QThread>

#include "runbook/environment.h"
#include "ui/run_view.h"

namespace tidemark::ui {

class RunWorker;

/// The window's side of a run. Lives on the UI thread; the driver and all connections live on the run thread, and only
/// values cross. Commands are queued and return at once; each ends with viewChanged() and, when it failed, failed().
class RunController : public QObject {
  Q_OBJECT

 public:
  /// Makes the environment on the run thread, so that connections are never made on the UI thread.
  using EnvironmentFactory = std::function<std::unique_ptr<runbook::Environment>()>;

  explicit RunController(EnvironmentFactory factory, QObject* parent = nullptr);
  /// Asks a running call to stop and waits for the run thread to end.
  ~RunController() override;

  void createRun(const runbook::Profile& profile, const std::filesystem::path& folder, bool dryRun);
  void openRun(const std::filesystem::path& folder, const std::string& runId, bool dryRun = false);

  void showStep(int step);
  void answer(int step, const std::string& question, const std::string& value);
  void waive(int step, const std::string& gate, const std::string& reason, const std::string& secondPerson);
  void arm();
  void disarm();
  void measure(int step);
  void perform(int step, const std::string& action, const std::string& confirmation);
  void finish(int step);
  void skip(int step);
  void reopen(int step, const std::string& reason);
  void acceptInterrupted();
  void undoSweep();
  void abandon(const std::string& reason);
  /// Lets go of the run and its locks; it can be opened again. Ends with runClosed().
  void closeRun();
  /// Reads the runs of a folder without any lock; answers with runsListed().
  void listRuns(const std::filesystem::path& folder);
  void writeReport(const std::filesystem::path& file);

  /// Takes effect at once, whatever the run thread does.
  void pause();
  void resume();
  void stop();

  bool busy() const { return m_pending > 0; }

 signals:
  void viewChanged(const tidemark::ui::RunView& view);
  void journalAppended(const tidemark::runbook::JournalEntry& entry);
  void progressed(const tidemark::Progress& progress);
  void waiting(const tidemark::ui::Waiting& waiting);
  /// The run while a command is still working on it: step list and gates follow, questions and actions do not.
  void stateChanged(const tidemark::runbook::RunState& state);
  void failed(const tidemark::ui::Failure& failure);
  void busyChanged(bool busy);
  /// A command begins, in words: "Measuring the gates of step 4".
  void workBegun(const QString& work);
  void runsListed(const tidemark::ui::RunList& list);
  void runClosed();
  void reportWritten(const QString& file);

 private:
  using Command = std::function<void(runbook::RunDriver&)>;
  void post(const QString& words, std::function<void()> work);
  void command(int step, const QString& words, Command work);
  Q_SLOT void commandEnded();

  QThread m_thread;
  RunWorker* m_worker;  ///< Lives on m_thread, deleted there.
  int m_pending = 0;
};

}  // namespace tidemark::ui
