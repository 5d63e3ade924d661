#pragma once

#include <string>
#include <vector>

#include <QMetaType>

#include "runbook/run_driver.h"

namespace tidemark::ui {

/// Everything that the window shows of a run, read on the run thread in one go. A value: widgets never ask the driver.
struct RunView {
  runbook::RunState state;
  runbook::Banner banner;
  int shownStep = 1;  ///< The step that the fields below are about.
  std::vector<runbook::Question> questions;
  std::vector<runbook::Action> actions;
  std::vector<runbook::Obstacle> obstacles;  ///< Why the shown step cannot be finished now.
  std::string doesNotApply;                  ///< Reason, when the shown step does not apply.
};

/// How far a command had come when it failed: what the failure means for the data.
enum class FailureReach {
  NothingDone,  ///< No effect was announced: nothing was written.
  Interrupted,  ///< Announced and ended: what was committed stays.
  InDoubt,      ///< The answer to a commit was lost.
};

/// A failure as the window shows it: what happened, what it means, what to do, details.
struct Failure {
  int step = 0;
  std::string code;
  std::string message;
  std::string hint;
  std::string technical;
  FailureReach reach = FailureReach::NothingDone;
};

/// Who holds a boundary back, and for how long it has been waited.
struct Waiting {
  std::vector<Blocker> blockers;
  std::chrono::milliseconds waited{0};
};

/// The runs of a folder, read without any lock.
struct RunList {
  std::vector<runbook::RunSummary> runs;
};

}  // namespace tidemark::ui

Q_DECLARE_METATYPE(tidemark::ui::RunView)
Q_DECLARE_METATYPE(tidemark::ui::Failure)
Q_DECLARE_METATYPE(tidemark::ui::Waiting)
Q_DECLARE_METATYPE(tidemark::ui::RunList)
Q_DECLARE_METATYPE(tidemark::runbook::RunState)
Q_DECLARE_METATYPE(tidemark::Progress)
Q_DECLARE_METATYPE(tidemark::runbook::JournalEntry)
