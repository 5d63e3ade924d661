#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/boundary/boundary.h"
#include "engine/core/progress.h"
#include "engine/load/load.h"
#include "runbook/clock.h"
#include "runbook/environment.h"
#include "runbook/journal.h"
#include "runbook/profile.h"
#include "runbook/run_state.h"
#include "runbook/step.h"

namespace tidemark::runbook {

/// Watches a driver. Called on the driver's thread; must not block and must not call the driver back.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void stateChanged(const RunState&) {}
  virtual void journalAppended(const JournalEntry&) {}
  virtual void gateMeasured(int /*step*/, const Gate&) {}
  virtual void progressed(const Progress&) {}
  /// About once a second while a boundary is waited for. False gives up (Error "boundary.given_up").
  virtual bool waitingFor(const std::vector<Blocker>&, std::chrono::milliseconds /*waited*/) { return true; }
};

/// Who drives. `host` and `pid` default to this process.
struct Operator {
  std::string user;
  std::string host;
  std::int64_t pid = 0;

  static Operator current();
};

struct DriverOptions {
  Operator who = Operator::current();
  Clock clock = utcNow;
  bool dryRun = false;  ///< Everything is measured and previewed; arm() is refused.
};

/// Facts for the banner on every page, in every confirmation and in the report. Empty where not connected yet.
struct Banner {
  std::string environment;
  bool production = false;
  std::string source;
  std::string sink;
  std::string sourceTable;
  std::string sinkTable;
  bool armed = false;
  bool dryRun = false;
};

/// The headless engine of one run: the same behind window, terminal and tests. Synchronous and blocking; every call
/// on one worker thread, except requestStop(), pauseControl() and state(), which any thread may call. Writes the
/// journal before and after every effect. Throws Error; a step's failure is journalled first.
class RunDriver {
 public:
  /// Makes `folder`/<run id>/ with journal and spool files, and drives the new run. `environment` and `observer`
  /// must outlive the driver; `observer` may be null. Throws Error "profile.no_source", "run.folder", of the journal.
  static std::unique_ptr<RunDriver> create(Environment& environment, const Profile& profile,
                                           const std::filesystem::path& folder, RunObserver* observer = nullptr,
                                           DriverOptions options = {});
  /// Goes on with a run. Verifies the journal, takes the lock, disarms, and measures what an interrupted effect did.
  static std::unique_ptr<RunDriver> open(Environment& environment, const std::filesystem::path& folder,
                                         const std::string& runId, RunObserver* observer = nullptr,
                                         DriverOptions options = {});
  ~RunDriver();
  RunDriver(const RunDriver&) = delete;
  RunDriver& operator=(const RunDriver&) = delete;

  /// A copy of the state. Any thread.
  RunState state() const;
  const Profile& profile() const;
  std::filesystem::path runFolder() const;
  const Journal& journal() const;
  Banner banner() const;
  int currentStep() const;

  /// What the step asks now, answered or not. After an interruption the first question is "resume".
  std::vector<Question> questions(int step);
  /// Journals an answer. Throws Error "answer.invalid", "run.not_allowed".
  void answer(int step, const std::string& question, const std::string& value);
  /// Journals a waiver of a gate that permits one; reason and second person must not be empty, and the second person
  /// must not be the operator.
  void waive(int step, const std::string& gate, const std::string& reason, const std::string& secondPerson);

  /// Lets this process write. Lapses when the run is opened again. Throws Error "run.dry_run".
  void arm();
  void disarm(const std::string& reason = {});

  /// Measures the step's gates now. Starts the step when it is the current one and pending.
  void measure(int step);
  std::vector<Action> actions(int step);
  /// Measures the step's gates again, journals the effect, performs it, journals its end. `confirmation` must equal the
  /// action's (trimmed, case-sensitive). Throws Error "action.blocked", "action.confirmation", "run.not_armed",
  /// "gate.shut", or what the step threw.
  void perform(int step, const std::string& action, const std::string& confirmation = {});
  /// Why the step cannot be finished now; empty when it can.
  std::vector<Obstacle> obstacles(int step);
  /// Ends the current step. Throws Error "step.unfinished" with the first obstacle.
  void finish(int step);
  /// Empty when the step applies; otherwise the reason, and skip() may be called.
  std::string doesNotApply(int step) const;
  /// Journals that the current step does not apply. Throws Error "run.not_allowed" when it does.
  void skip(int step);
  /// Opens a step again (a gate must be met anew); it and the steps after it become pending, their evidence stays.
  void reopen(int step, const std::string& reason);

  /// Answers "resume" of the interrupted step after its fate was measured: go on.
  void acceptInterrupted();

  /// Puts the swept rows back (Sink::undoSweep), keys that changed since are read again. Journalled; needs arming.
  UndoResult undoSweep();
  /// Ends the run before its time: releases the table lock, keeps journal and evidence.
  void abandon(const std::string& reason);

  /// Asks the running call to stop at its next safe point. Any thread. The next call starts afresh.
  void requestStop();
  /// True from requestStop() until the next call that measures or performs. Any thread.
  bool stopRequested() const;
  /// Pause and resume of the load. Any thread.
  PauseControl& pauseControl();

 private:
  class Impl;
  explicit RunDriver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

/// One line of a list of runs, read without taking any lock.
struct RunSummary {
  std::string runId;
  std::string profileName;
  std::string environment;
  std::string createdAt;
  std::string createdBy;
  RunPhase phase = RunPhase::Open;
  int currentStep = 1;
  bool interrupted = false;
  std::string lockedBy;  ///< "user on host, pid 12, since …", or empty.
  std::string problem;   ///< Not empty: the journal could not be read, for this reason.
};

/// Runs below `folder`, newest first.
std::vector<RunSummary> listRuns(const std::filesystem::path& folder);
/// Reads a run without driving it. Throws Error of Journal::open.
RunState readRun(const std::filesystem::path& folder, const std::string& runId);
/// The journal of a run, for reports: Journal::open(…, ReadOnly).
std::filesystem::path journalFile(const std::filesystem::path& folder, const std::string& runId);

}  // namespace tidemark::runbook
