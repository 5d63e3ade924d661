#pragma once

#include <span>
#include <string>
#include <vector>

#include "runbook/run_event.h"
#include "runbook/run_state.h"

namespace tidemark::runbook {

/// What the driver has to do because of a transition. The state machine itself does nothing.
enum class EffectKind {
  Measure,       ///< The step's gates hang on what just changed: measure them again.
  Reconcile,     ///< An announced effect has no end: find out whether it took place.
  ReleaseTable,  ///< Give back the sink's table lock.
};

struct Effect {
  EffectKind kind = EffectKind::Measure;
  int step = 0;
  friend bool operator==(const Effect&, const Effect&) = default;
};

struct Transition {
  RunState state;
  std::vector<Effect> effects;
};

/// The run as a pure function: no clock, no file, no server; the time is in the event. Throws Error "run.not_allowed"
/// when the event cannot happen in this state (a write without arming, a step before the one before it, a waiver of
/// what is not waivable, an answer after the end); the state is then unchanged and the event must not be journalled.
Transition transition(const RunState& state, const RunEvent& event);

/// Replays a journal.
RunState replay(std::span<const RunEvent> events);

}  // namespace tidemark::runbook
