#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::runbook {

inline constexpr int kSteps = 15;

enum class StepStatus { Pending, Running, Done, Skipped, Failed };
/// Unknown and Stale never open a gate. DoesNotApply was not checked, for the reason in the gate's hint; it is open,
/// and never shown as passed.
enum class GateResult { Pass, Warn, Fail, Unknown, Stale, DoesNotApply };
enum class RunPhase { Open, Finished, Abandoned };

/// Stable words for JSON: "pending", "running", "done", "skipped", "failed".
std::string_view statusName(StepStatus status);
/// "pass", "warn", "fail", "unknown", "stale", "does_not_apply".
std::string_view resultName(GateResult result);
/// "open", "finished", "abandoned".
std::string_view phaseName(RunPhase phase);

struct Waiver {
  std::string reason;
  std::string secondPerson;
  std::string user;
  std::string time;
  friend bool operator==(const Waiver&, const Waiver&) = default;
};

/// One measured condition. Built from an engine Finding or by a step itself.
struct Gate {
  std::string id;     ///< Unique within its step: "sink.primary_key".
  std::string title;  ///< Translated.
  GateResult result = GateResult::Unknown;
  std::string measured;
  std::string limit;
  std::string unit;
  std::string source;  ///< Where the value was read.
  std::string measuredAt;
  std::int64_t validForSeconds = 0;  ///< 0 = does not age.
  std::string hint;                  ///< What to do when it is not open.
  bool waivable = false;             ///< Only warnings; what the guard needs never is.
  std::optional<Waiver> waiver;
  bool outcome = false;  ///< Shows what the step's own actions bring about: asked for to finish, not to perform.

  /// Pass, or a warning that was waived, or a warning that needs no waiver (not waivable).
  bool open() const;
  friend bool operator==(const Gate&, const Gate&) = default;
};

/// The gate as it counts at `now`: Stale when its validity has passed.
Gate gateAt(const Gate& gate, const std::string& now);

enum class QuestionKind { Text, Choice, Number, ConfirmByTyping };

struct Choice {
  std::string value;
  std::string label;       ///< Translated.
  std::string notBecause;  ///< Not empty: cannot be chosen, for this reason. Still shown.
};

struct Question {
  std::string id;  ///< Unique within its step; answers files are keyed by step number and this.
  std::string prompt;
  QuestionKind kind = QuestionKind::Text;
  std::vector<Choice> choices;
  std::string defaultValue;  ///< Offered, never taken by itself.
  std::string help;
  bool required = true;
  std::string expected;  ///< ConfirmByTyping: the exact text (trimmed, case-sensitive).
};

struct Answer {
  std::string value;
  std::string user;
  std::string time;
  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Something that a step can do: a write, or a long read. Shown as it stands before it is performed.
struct Action {
  std::string id;
  std::string title;      ///< Verb, count and object: "Mark 1,000 rows of public.orders as deleted".
  std::string statement;  ///< Exactly what will run.
  std::optional<std::uint64_t> rows;
  bool rowsExact = false;
  bool writes = false;  ///< Needs an armed run, and a frozen plan from step 6 on.
  bool reversible = true;
  std::string reverse;         ///< How it is undone, or why it cannot be.
  std::string confirmation;    ///< Text to type; empty when none is asked for.
  std::string blockedBecause;  ///< Not empty: cannot be performed now, for this reason.
  bool required = true;        ///< The step cannot be finished before it was performed.
  bool done = false;
};

/// Why a step cannot be finished (or an action not performed), in words, with what it hangs on.
struct Obstacle {
  std::string text;
  std::string gate;      ///< Id of a shut gate, or empty.
  std::string question;  ///< Id of an unanswered question, or empty.
  std::string action;    ///< Id of an action that is left, or empty.
};

struct RunError {
  std::string code;
  std::string message;
  std::string hint;
  std::string technical;
  std::string time;
  friend bool operator==(const RunError&, const RunError&) = default;
};

struct StepState {
  int number = 0;
  std::string id;  ///< Stable: "scope", "sink", "rehearse", "log", "choose", "boundary", …
  StepStatus status = StepStatus::Pending;
  std::string skippedBecause;
  std::vector<Gate> gates;  ///< As last measured.
  std::map<std::string, Answer> answers;
  std::map<std::string, std::string> evidence;   ///< Name -> canonical JSON.
  std::map<std::string, std::string> performed;  ///< Action id -> time of its last success.
  std::string startedAt;
  std::string finishedAt;
  std::optional<RunError> lastError;
  friend bool operator==(const StepState&, const StepState&) = default;

  const Gate* gate(const std::string& gateId) const;
  std::string answer(const std::string& questionId) const;  ///< Empty when not answered.
  /// Canonical JSON, or empty.
  std::string fact(const std::string& name) const;
};

/// An effect that was announced and whose end was never journalled: the program died, or the answer was lost.
struct InterruptedEffect {
  std::int64_t effect = 0;
  int step = 0;
  std::string action;
  std::string statement;
  std::string announcedAt;
  std::string outcome;      ///< Empty until measured; then what was found, in words.
  bool reconciled = false;  ///< Its fate was measured; the answer "resume" is still awaited.
  friend bool operator==(const InterruptedEffect&, const InterruptedEffect&) = default;
};

/// A run as its journal tells it. A value; only transition() makes new ones.
struct RunState {
  std::string runId;
  std::string profileJson;
  RunPhase phase = RunPhase::Open;
  std::string createdAt;
  std::string createdBy;
  std::string finishedAt;
  std::array<StepState, kSteps> steps;
  bool armed = false;
  std::string armedBy;
  std::string planJson;
  std::string planDigest;                        ///< SHA-256 of planJson; empty until the plan is frozen.
  std::optional<InterruptedEffect> running;      ///< Announced, and being worked on by the process that drives.
  std::optional<InterruptedEffect> interrupted;  ///< Announced by a process that died, or its answer was lost.
  std::int64_t lastEffect = 0;
  std::string lineage;  ///< Of the source, as first measured.
  std::string signedOffBy;
  friend bool operator==(const RunState&, const RunState&) = default;

  StepState& step(int number) { return steps.at(static_cast<std::size_t>(number - 1)); }
  const StepState& step(int number) const { return steps.at(static_cast<std::size_t>(number - 1)); }
  /// The first step that is neither done nor skipped; 15 when all are.
  int currentStep() const;
  bool planFrozen() const { return !planDigest.empty(); }
  /// Every waiver, as (step, gate).
  std::vector<std::pair<int, Gate>> waivedGates() const;
};

/// An empty run: fifteen pending steps with their ids.
RunState emptyRun();

}  // namespace tidemark::runbook
