#include "runbook/state_machine.h"

#include <algorithm>

#include "engine/core/error.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

constexpr int kPlanStep = 5;

[[noreturn]] void refuse(const std::string& reason, const std::string& wayOut = {}) {
  throw Error("run.not_allowed", reason, {.hint = wayOut});
}

void requireOpen(const RunState& state) {
  if (state.phase == RunPhase::Open) return;
  refuse(text("This run has ended; nothing can be changed in it any more."), text("Begin a new run."));
}

StepState& stepOf(RunState& state, int number) {
  if (number < 1 || number > kSteps) refuse(text("There is no step %1.", std::to_string(number)));
  return state.step(number);
}

void requireCurrent(const RunState& state, int number) {
  if (state.currentStep() == number) return;
  refuse(
      text("Step %1 is not the current one; step %2 is.", std::to_string(number), std::to_string(state.currentStep())),
      text("Finish the steps in order, or open a finished one again."));
}

void requireNothingInterrupted(const RunState& state) {
  if (!state.interrupted) return;
  refuse(text("\"%1\" of step %2 was interrupted, and nobody has decided yet to go on.", state.interrupted->action,
              std::to_string(state.interrupted->step)),
         text("Read what was found, then answer the question \"resume\" of that step."));
}

// A waiver belongs to the value it was given for: it survives a new measurement only when that shows the same.
void keepWaivers(const std::vector<Gate>& before, std::vector<Gate>& now) {
  for (Gate& gate : now) {
    const auto old = std::find_if(before.begin(), before.end(), [&](const Gate& each) { return each.id == gate.id; });
    const bool same = old != before.end() && old->result == gate.result && old->measured == gate.measured;
    gate.waiver = same && gate.waivable ? old->waiver : std::nullopt;
  }
}

void resetFrom(RunState& state, int first) {
  for (int number = first; number <= kSteps; ++number) {
    StepState& step = state.step(number);
    step.status = StepStatus::Pending;
    step.gates.clear();
    step.performed.clear();
    step.skippedBecause.clear();
    step.finishedAt.clear();
    step.lastError.reset();
  }
}

bool wroteUnderPlan(const RunState& state) {
  for (int number = kPlanStep + 1; number <= kSteps; ++number) {
    if (state.step(number).evidence.contains("writes_begun")) return true;
  }
  return false;
}

void create(RunState& state, const RunEvent& event) {
  if (!state.runId.empty()) refuse(text("The run exists already."));
  state.runId = event.text;
  state.profileJson = event.json;
  state.createdAt = event.time;
  state.createdBy = event.user;
}

void opened(RunState& state, std::vector<Effect>& effects) {
  state.armed = false;
  state.armedBy.clear();
  if (state.running) {
    state.interrupted = state.running;
    state.running.reset();
  }
  if (state.interrupted && !state.interrupted->reconciled) {
    effects.push_back({EffectKind::Reconcile, state.interrupted->step});
  }
}

void answered(RunState& state, const RunEvent& event, std::vector<Effect>& effects) {
  StepState& step = stepOf(state, event.step);
  if (event.step <= kPlanStep && state.planFrozen()) {
    refuse(text("The plan is frozen, so step %1 cannot be answered differently.", std::to_string(event.step)),
           text("Open step %1 again: the plan is then written anew.", std::to_string(event.step)));
  }
  if (step.status == StepStatus::Done || step.status == StepStatus::Skipped) {
    refuse(text("Step %1 is finished.", std::to_string(event.step)), text("Open it again first."));
  }
  step.answers[event.id] = {event.text, event.user, event.time};
  effects.push_back({EffectKind::Measure, event.step});
}

void waived(RunState& state, const RunEvent& event) {
  StepState& step = stepOf(state, event.step);
  const auto gate = std::find_if(step.gates.begin(), step.gates.end(), [&](const Gate& g) { return g.id == event.id; });
  if (gate == step.gates.end()) refuse(text("Step %1 has no gate %2.", std::to_string(event.step), event.id));
  if (!gate->waivable || gate->result != GateResult::Warn) {
    refuse(text("\"%1\" cannot be waived.", gate->title), gate->hint);
  }
  if (event.text.empty() || event.secondPerson.empty()) {
    refuse(text("A waiver needs a reason and the name of a second person."));
  }
  if (event.secondPerson == event.user) refuse(text("The second person of a waiver must be somebody else."));
  gate->waiver = Waiver{event.text, event.secondPerson, event.user, event.time};
}

void announced(RunState& state, const RunEvent& event) {
  requireNothingInterrupted(state);
  if (state.running) refuse(text("\"%1\" is still running.", state.running->action));
  if (event.writes && !state.armed) {
    refuse(text("The run is not armed, so nothing may be written."), text("Arm the run first."));
  }
  if (event.writes && event.step > kPlanStep && !state.planFrozen()) {
    refuse(text("The plan is not frozen yet, so nothing may be written."), text("Freeze the plan in step 5."));
  }
  stepOf(state, event.step);
  state.lastEffect = event.effect;
  state.running = InterruptedEffect{event.effect, event.step, event.id, event.text, event.time, {}, false};
  if (event.writes && event.step > kPlanStep) state.step(event.step).evidence["writes_begun"] = "true";
}

void effectFinished(RunState& state, const RunEvent& event) {
  if (!state.running || state.running->effect != event.effect) refuse(text("No such effect is running."));
  if (event.outcome == Outcome::Succeeded) state.step(event.step).performed[event.id] = event.time;
  if (event.outcome == Outcome::InDoubt) state.interrupted = state.running;
  state.running.reset();
}

void reconciled(RunState& state, const RunEvent& event) {
  if (!state.interrupted || state.interrupted->effect != event.effect) refuse(text("Nothing was interrupted."));
  state.interrupted->reconciled = true;
  state.interrupted->outcome = event.text;
  if (event.outcome == Outcome::Succeeded) state.step(event.step).performed[state.interrupted->action] = event.time;
}

void resumeAccepted(RunState& state) {
  if (!state.interrupted) refuse(text("Nothing was interrupted."));
  if (!state.interrupted->reconciled) {
    refuse(text("What the interrupted action did has not been measured yet."), text("Measure the step first."));
  }
  state.interrupted.reset();
}

void stepFinished(RunState& state, const RunEvent& event) {
  requireCurrent(state, event.step);
  requireNothingInterrupted(state);
  StepState& step = state.step(event.step);
  if (step.status != StepStatus::Running) refuse(text("Step %1 has not begun.", std::to_string(event.step)));
  if (state.running) refuse(text("\"%1\" is still running.", state.running->action));
  for (const Gate& gate : step.gates) {
    if (!gateAt(gate, event.time).open()) refuse(text("\"%1\" is not open.", gate.title), gate.hint);
  }
  step.status = StepStatus::Done;
  step.finishedAt = event.time;
}

void reopened(RunState& state, const RunEvent& event) {
  StepState& step = stepOf(state, event.step);
  requireNothingInterrupted(state);
  if (step.status == StepStatus::Pending) refuse(text("Step %1 has not begun.", std::to_string(event.step)));
  if (event.step <= kPlanStep && state.planFrozen()) {
    if (wroteUnderPlan(state)) {
      refuse(text("Rows have been written under the frozen plan, so it cannot be changed."),
             text("Abandon this run and begin a new one: everything it wrote is safe to run over again."));
    }
    state.planDigest.clear();
    state.planJson.clear();
  }
  resetFrom(state, event.step);
}

void planFrozen(RunState& state, const RunEvent& event) {
  requireCurrent(state, kPlanStep);
  if (state.planFrozen()) refuse(text("The plan is frozen already."));
  state.planJson = event.json;
  state.planDigest = event.text;
}

void runFinished(RunState& state, const RunEvent& event, std::vector<Effect>& effects) {
  for (const StepState& step : state.steps) {
    if (step.status == StepStatus::Done || step.status == StepStatus::Skipped) continue;
    refuse(text("Step %1 is not finished.", std::to_string(step.number)));
  }
  state.phase = RunPhase::Finished;
  state.finishedAt = event.time;
  state.signedOffBy = event.text;
  state.armed = false;
  effects.push_back({EffectKind::ReleaseTable, kSteps});
}

// A run that has ended can still be opened, and its sweep undone; both are journalled. Nothing else changes in it.
bool mayFollowTheEnd(const RunState& state, const RunEvent& event) {
  switch (event.kind) {
    case EventKind::RunOpened:
    case EventKind::LockTakenOver:
    case EventKind::Armed:
    case EventKind::Disarmed:
    case EventKind::ResumeAccepted:
    case EventKind::EffectReconciled:
      return true;
    case EventKind::EffectAnnounced:
      return event.id == kUndoAction;
    case EventKind::EffectFinished:
    case EventKind::EvidenceRecorded:
      return state.running && state.running->action == kUndoAction;
    default:
      return false;
  }
}

void applyStepEvent(RunState& state, const RunEvent& event, std::vector<Effect>& effects) {
  StepState& step = stepOf(state, event.step);
  switch (event.kind) {
    case EventKind::StepStarted:
      requireCurrent(state, event.step);
      if (step.startedAt.empty()) step.startedAt = event.time;
      step.status = StepStatus::Running;
      step.lastError.reset();
      return;
    case EventKind::GatesMeasured: {
      std::vector<Gate> gates = event.gates;
      keepWaivers(step.gates, gates);
      step.gates = std::move(gates);
      return;
    }
    case EventKind::EvidenceRecorded:
      step.evidence[event.id] = event.json;
      return;
    case EventKind::Answered:
      answered(state, event, effects);
      return;
    case EventKind::Waived:
      waived(state, event);
      return;
    case EventKind::EffectAnnounced:
      announced(state, event);
      return;
    case EventKind::EffectFinished:
      effectFinished(state, event);
      return;
    case EventKind::EffectReconciled:
      reconciled(state, event);
      return;
    case EventKind::ResumeAccepted:
      resumeAccepted(state);
      effects.push_back({EffectKind::Measure, event.step});
      return;
    case EventKind::StepFinished:
      stepFinished(state, event);
      return;
    case EventKind::StepSkipped:
      requireCurrent(state, event.step);
      step.status = StepStatus::Skipped;
      step.skippedBecause = event.text;
      step.finishedAt = event.time;
      return;
    case EventKind::StepFailed:
      step.status = StepStatus::Failed;
      step.lastError = event.error;
      return;
    case EventKind::StepReopened:
      reopened(state, event);
      return;
    default:
      return;
  }
}

}  // namespace

Transition transition(const RunState& before, const RunEvent& event) {
  Transition result{before, {}};
  RunState& state = result.state;
  if (event.kind == EventKind::RunCreated) {
    create(state, event);
    return result;
  }
  if (state.runId.empty()) refuse(text("The run has not begun."));
  if (!mayFollowTheEnd(state, event)) requireOpen(state);
  switch (event.kind) {
    case EventKind::RunOpened:
      opened(state, result.effects);
      break;
    case EventKind::LockTakenOver:
      break;
    case EventKind::Armed:
      state.armed = true;
      state.armedBy = event.user;
      break;
    case EventKind::Disarmed:
      state.armed = false;
      state.armedBy.clear();
      break;
    case EventKind::LineageRead:
      state.lineage = event.text;
      break;
    case EventKind::PlanFrozen:
      planFrozen(state, event);
      break;
    case EventKind::RunFinished:
      runFinished(state, event, result.effects);
      break;
    case EventKind::RunAbandoned:
      state.phase = RunPhase::Abandoned;
      state.finishedAt = event.time;
      state.armed = false;
      result.effects.push_back({EffectKind::ReleaseTable, state.currentStep()});
      break;
    default:
      applyStepEvent(state, event, result.effects);
      break;
  }
  return result;
}

RunState replay(std::span<const RunEvent> events) {
  RunState state = emptyRun();
  for (const RunEvent& event : events) state = transition(state, event).state;
  return state;
}

}  // namespace tidemark::runbook
