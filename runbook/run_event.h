#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runbook/run_state.h"

namespace tidemark::runbook {

enum class EventKind {
  RunCreated,     ///< text = run id, json = profile
  RunOpened,      ///< text = "host, pid": arming lapses
  LockTakenOver,  ///< text = the holder that was gone
  StepStarted,    ///< step
  GatesMeasured,  ///< step, gates
  Answered,       ///< step, id = question, text = value
  Waived,         ///< step, id = gate, text = reason, secondPerson
  Armed,
  Disarmed,          ///< text = reason
  EvidenceRecorded,  ///< step, id = name, json
  LineageRead,       ///< text
  PlanFrozen,        ///< json, text = digest
  EffectAnnounced,   ///< step, effect, id = action, text = statement
  EffectFinished,    ///< step, effect, id = action, outcome, text = detail
  EffectReconciled,  ///< step, effect, outcome, text = what was found
  ResumeAccepted,    ///< step, effect
  StepFinished,      ///< step
  StepSkipped,       ///< step, text = reason
  StepFailed,        ///< step, error
  StepReopened,      ///< step, text = reason: it and everything after it becomes pending again
  RunFinished,       ///< text = name of who signs
  RunAbandoned       ///< text = reason
};

/// The action that puts swept rows back: of step 11, and the one thing that may be done after a run has ended.
inline constexpr const char* kUndoAction = "undo";

enum class Outcome { Succeeded, Failed, Cancelled, InDoubt };

std::string_view eventName(EventKind kind);     ///< The stable word in the journal.
std::string_view outcomeName(Outcome outcome);  ///< Likewise.

/// One entry of a journal. Which fields mean something is said at EventKind; the others stay empty.
struct RunEvent {
  EventKind kind = EventKind::RunCreated;
  std::string time{};  ///< UTC.
  std::string user{};
  int step = 0;
  std::string id{};
  std::string text{};
  std::string json{};
  std::string secondPerson{};
  std::int64_t effect = 0;
  Outcome outcome = Outcome::Succeeded;
  bool writes = false;  ///< EffectAnnounced: needs an armed run.
  std::vector<Gate> gates{};
  std::optional<RunError> error{};
  std::string planDigest{};  ///< Of the frozen plan, in every entry after PlanFrozen.
};

/// Canonical JSON (sorted keys, no spaces) without kind and time, which the journal keeps in columns of their own.
std::string encodeEvent(const RunEvent& event);
/// Throws Error "journal.payload".
RunEvent decodeEvent(const std::string& kind, const std::string& time, const std::string& payload);

}  // namespace tidemark::runbook
