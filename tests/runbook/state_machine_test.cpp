#include "runbook/state_machine.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace tidemark::test {

using namespace runbook;

namespace {

class StateMachine : public testing::Test {
 protected:
  void SetUp() override {
    RunEvent created = event(EventKind::RunCreated);
    created.text = "run-1";
    created.json = "{}";
    apply(created);
  }
  static RunEvent event(EventKind kind, int step = 0, const std::string& id = {}, const std::string& text = {}) {
    RunEvent result;
    result.kind = kind;
    result.time = "2026-03-01T09:00:00.000Z";
    result.user = "operator";
    result.step = step;
    result.id = id;
    result.text = text;
    return result;
  }
  std::vector<Effect> apply(const RunEvent& what) {
    Transition next = transition(state, what);
    state = next.state;
    history.push_back(what);
    return next.effects;
  }
  bool refused(const RunEvent& what) const {
    try {
      transition(state, what);
      return false;
    } catch (const Error& problem) {
      return problem.code() == "run.not_allowed";
    }
  }
  void measure(int step, GateResult result, bool waivable = false, const std::string& measured = "1") {
    Gate gate;
    gate.id = "gate";
    gate.title = "Gate";
    gate.result = result;
    gate.waivable = waivable;
    gate.measured = measured;
    RunEvent measuredNow = event(EventKind::GatesMeasured, step);
    measuredNow.gates = {gate};
    apply(measuredNow);
  }
  void finish(int step) {
    apply(event(EventKind::StepStarted, step));
    measure(step, GateResult::Pass);
    apply(event(EventKind::StepFinished, step));
  }
  RunEvent announce(int step, std::int64_t effect, bool writes) {
    RunEvent result = event(EventKind::EffectAnnounced, step, "load", "COPY");
    result.effect = effect;
    result.writes = writes;
    return result;
  }
  void reachPlan() {
    for (int step = 1; step <= 4; ++step) finish(step);
    apply(event(EventKind::StepStarted, 5));
    RunEvent frozen = event(EventKind::PlanFrozen, 0, {}, "digest");
    frozen.json = "{}";
    apply(frozen);
    measure(5, GateResult::Pass);
    apply(event(EventKind::StepFinished, 5));
  }

  RunState state = emptyRun();
  std::vector<RunEvent> history;
};

TEST_F(StateMachine, StepsAreTakenInOrder) {
  EXPECT_TRUE(refused(event(EventKind::StepStarted, 2)));
  finish(1);
  EXPECT_EQ(state.currentStep(), 2);
  EXPECT_TRUE(refused(event(EventKind::StepFinished, 1)));
}

TEST_F(StateMachine, OnlyOpenGatesLetAStepFinish) {
  apply(event(EventKind::StepStarted, 1));
  for (const GateResult shut : {GateResult::Fail, GateResult::Unknown, GateResult::Stale}) {
    measure(1, shut);
    EXPECT_TRUE(refused(event(EventKind::StepFinished, 1))) << resultName(shut);
  }
  measure(1, GateResult::Warn, true);
  EXPECT_TRUE(refused(event(EventKind::StepFinished, 1)));
  for (const GateResult open : {GateResult::Pass, GateResult::DoesNotApply}) {
    measure(1, open);
    EXPECT_FALSE(refused(event(EventKind::StepFinished, 1))) << resultName(open);
  }
}

TEST_F(StateMachine, GateThatHasAgedIsStale) {
  Gate gate;
  gate.result = GateResult::Pass;
  gate.measuredAt = "2026-03-01T09:00:00.000Z";
  gate.validForSeconds = 60;
  EXPECT_EQ(gateAt(gate, "2026-03-01T09:01:00.000Z").result, GateResult::Pass);
  EXPECT_EQ(gateAt(gate, "2026-03-01T09:01:01.000Z").result, GateResult::Stale);
  gate.validForSeconds = 0;
  EXPECT_EQ(gateAt(gate, "2027-03-01T09:01:01.000Z").result, GateResult::Pass);
}

TEST_F(StateMachine, WaiverNeedsPermissionReasonAndAnotherPerson) {
  apply(event(EventKind::StepStarted, 1));
  RunEvent waiver = event(EventKind::Waived, 1, "gate", "reason");
  waiver.secondPerson = "somebody else";
  measure(1, GateResult::Fail);
  EXPECT_TRUE(refused(waiver));
  measure(1, GateResult::Warn, false);
  EXPECT_TRUE(refused(waiver));
  measure(1, GateResult::Warn, true);
  RunEvent alone = waiver;
  alone.secondPerson = "operator";
  EXPECT_TRUE(refused(alone));
  RunEvent silent = waiver;
  silent.text.clear();
  EXPECT_TRUE(refused(silent));
  apply(waiver);
  EXPECT_FALSE(refused(event(EventKind::StepFinished, 1)));
  EXPECT_EQ(state.waivedGates().size(), 1u);
}

TEST_F(StateMachine, WaiverHoldsForTheValueItWasGivenFor) {
  apply(event(EventKind::StepStarted, 1));
  measure(1, GateResult::Warn, true, "2 triggers");
  RunEvent waiver = event(EventKind::Waived, 1, "gate", "reason");
  waiver.secondPerson = "somebody else";
  apply(waiver);
  measure(1, GateResult::Warn, true, "2 triggers");
  EXPECT_TRUE(state.step(1).gates[0].waiver);
  measure(1, GateResult::Warn, true, "3 triggers");
  EXPECT_FALSE(state.step(1).gates[0].waiver);
}

TEST_F(StateMachine, WritesWantArmingAndAFrozenPlan) {
  EXPECT_TRUE(refused(announce(9, 1, true)));
  apply(event(EventKind::Armed));
  EXPECT_TRUE(refused(announce(9, 1, true)));
  EXPECT_FALSE(refused(announce(2, 1, true)));
  reachPlan();
  EXPECT_FALSE(refused(announce(9, 1, true)));
  apply(event(EventKind::Disarmed));
  EXPECT_TRUE(refused(announce(9, 1, true)));
  EXPECT_FALSE(refused(announce(9, 1, false)));
}

TEST_F(StateMachine, OpeningDisarmsAndNamesWhatWasInterrupted) {
  apply(event(EventKind::Armed));
  reachPlan();
  apply(announce(6, 1, false));
  const auto effects = apply(event(EventKind::RunOpened));
  EXPECT_FALSE(state.armed);
  ASSERT_TRUE(state.interrupted);
  EXPECT_EQ(state.interrupted->statement, "COPY");
  EXPECT_EQ(effects, (std::vector<Effect>{{EffectKind::Reconcile, 6}}));
  RunEvent accept = event(EventKind::ResumeAccepted, 6);
  EXPECT_TRUE(refused(accept));
  EXPECT_TRUE(refused(announce(6, 2, false)));
  RunEvent reconciled = event(EventKind::EffectReconciled, 6, "load", "nothing took place");
  reconciled.effect = 1;
  reconciled.outcome = Outcome::Failed;
  apply(reconciled);
  apply(accept);
  EXPECT_FALSE(state.interrupted);
  EXPECT_FALSE(refused(announce(6, 2, false)));
}

TEST_F(StateMachine, EffectInDoubtIsInterruptedWithoutACrash) {
  apply(event(EventKind::Armed));
  reachPlan();
  apply(announce(9, 1, true));
  EXPECT_TRUE(refused(announce(9, 2, true)));
  RunEvent finished = event(EventKind::EffectFinished, 9, "load");
  finished.effect = 1;
  finished.outcome = Outcome::InDoubt;
  apply(finished);
  EXPECT_TRUE(state.interrupted);
  EXPECT_TRUE(state.step(9).performed.empty());
}

TEST_F(StateMachine, FrozenPlanIsThawedOnlyBeforeAWrite) {
  apply(event(EventKind::Armed));
  reachPlan();
  EXPECT_TRUE(refused(event(EventKind::Answered, 1, "filter", "x")));
  EXPECT_FALSE(refused(event(EventKind::StepReopened, 1, {}, "reason")));
  apply(announce(7, 1, true));
  RunEvent finished = event(EventKind::EffectFinished, 7, "load");
  finished.effect = 1;
  apply(finished);
  EXPECT_TRUE(refused(event(EventKind::StepReopened, 1, {}, "reason")));
}

TEST_F(StateMachine, ReopeningMakesTheRestPendingAndKeepsEvidence) {
  finish(1);
  finish(2);
  RunEvent evidence = event(EventKind::EvidenceRecorded, 2, "fact");
  evidence.json = "1";
  apply(evidence);
  apply(event(EventKind::StepReopened, 1, {}, "reason"));
  EXPECT_EQ(state.currentStep(), 1);
  EXPECT_EQ(state.step(2).status, StepStatus::Pending);
  EXPECT_EQ(state.step(2).fact("fact"), "1");
}

TEST_F(StateMachine, EndedRunTakesNothingButAnUndo) {
  apply(event(EventKind::Armed));
  reachPlan();
  const auto effects = apply(event(EventKind::RunAbandoned, 0, {}, "reason"));
  EXPECT_EQ(effects.size(), 1u);
  EXPECT_TRUE(refused(event(EventKind::StepStarted, 6)));
  EXPECT_TRUE(refused(event(EventKind::Answered, 6, "method", "wait")));
  apply(event(EventKind::Armed));
  EXPECT_TRUE(refused(announce(11, 1, true)));
  RunEvent undo = announce(11, 1, true);
  undo.id = kUndoAction;
  EXPECT_FALSE(refused(undo));
}

TEST_F(StateMachine, ReplayingTheHistoryGivesTheSameState) {
  apply(event(EventKind::Armed));
  reachPlan();
  apply(announce(6, 1, false));
  EXPECT_EQ(replay(history), state);
}

TEST_F(StateMachine, RefusedEventLeavesTheStateAlone) {
  const RunState before = state;
  EXPECT_TRUE(refused(event(EventKind::StepFinished, 1)));
  EXPECT_EQ(state, before);
}

}  // namespace
}  // namespace tidemark::test
