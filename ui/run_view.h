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

/// A failure as the window shows it: what happened, what to do, details.
struct Failure {
  int step = 0;
  std::string code;
  std::string message;
  std::string hint;
  std::string technical;
  bool inDoubt = false;
};

/// Who holds a boundary back, and for how long it has been waited.
struct Waiting {
  std::vector<Blocker> blockers;
  std::chrono::milliseconds waited{0};
};

}  // namespace tidemark::ui

Q_DECLARE_METATYPE(tidemark::ui::RunView)
Q_DECLARE_METATYPE(tidemark::ui::Failure)
Q_DECLARE_METATYPE(tidemark::ui::Waiting)
Q_DECLARE_METATYPE(tidemark::Progress)
Q_DECLARE_METATYPE(tidemark::runbook::JournalEntry)
