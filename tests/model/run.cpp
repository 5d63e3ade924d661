#include "tests/model/model.h"

namespace tidemark::model {
namespace {

bool isInSegment(const Configuration& configuration, int key, int segment) {
  return configuration.segmentOf[static_cast<std::size_t>(key)] == segment;
}

Byte waitedFor(const Configuration& configuration, const State& state) {
  switch (configuration.rules.boundary) {
    case BoundaryRule::NoWait:
    case BoundaryRule::RestartLsn:
      return 0;
    case BoundaryRule::SessionsOnly:
      return runningInSessions(configuration, state);
    case BoundaryRule::SnapshotXmax:
      return runningBelowXmax(configuration, state);
    default:
      return runningTransactions(configuration, state);
  }
}

void takeLow(const Configuration& configuration, State& state) {
  state.low[state.segment] =
      configuration.rules.boundary == BoundaryRule::RestartLsn ? restartLsn(configuration, state) : state.nextLsn;
}

/// The two observations of rule 4, in the rule's order.
void boundaryStep(const Configuration& configuration, const State& state, Steps& steps) {
  const bool first = state.phase == RunPhase::Idle;
  const bool lowFirst = configuration.rules.boundary != BoundaryRule::XBeforeLow;
  State& next = steps.emplace_back(Step{first == lowFirst ? Action::TakeLow : Action::TakeX, 0, state}).next;
  if (first == lowFirst) {
    takeLow(configuration, next);
  } else {
    next.waitFor = waitedFor(configuration, next);
  }
  next.phase = first ? RunPhase::LowTaken : RunPhase::Waiting;
}

/// The sweep that does not wait for the other segment's load. That load follows, and the run ends with a sweep in turn.
bool sweepsTooEarly(const Configuration& configuration, const State& state) {
  return configuration.rules.sweep == SweepRule::BeforeLoadComplete && state.segment + 1 < configuration.segments;
}

void finishRun(const Configuration& configuration, State& state) {
  state.ghosts = 0;
  if (sweepsTooEarly(configuration, state)) {
    ++state.segment;
    state.phase = RunPhase::Idle;
    return;
  }
  state.listed = 0;
  state.segment = 0;
  state.drainedAt = 0;
  if (state.run + 1 < configuration.runs) {
    ++state.run;
    state.phase = RunPhase::Idle;
  } else {
    state.phase = RunPhase::Done;
  }
}

/// Called when the segment's rows are all in the sink.
void finishSegment(const Configuration& configuration, State& state) {
  const bool last = state.segment + 1 == configuration.segments;
  if (last || sweepsTooEarly(configuration, state)) {
    state.phase = RunPhase::Loaded;
  } else {
    ++state.segment;
    state.phase = RunPhase::Idle;
  }
}

void finishSegmentWhenApplied(const Configuration& configuration, State& state) {
  if (state.loaded == std::array<Byte, kKeys>{}) finishSegment(configuration, state);
}

void listKeys(const Configuration& configuration, State& state) {
  int lastListed = -1;
  for (int key = 0; key < kKeys; ++key) {
    const Byte value = state.row[static_cast<std::size_t>(key)];
    if (!isInSegment(configuration, key, state.segment) || value == kNoRow) continue;
    if (configuration.rules.sweep == SweepRule::ListFiltered && value % 2 == 1) continue;
    setBit(state.listed, key);
    lastListed = key;
  }
  if (configuration.rules.sweep == SweepRule::ListIncomplete && lastListed >= 0) clearBit(state.listed, lastListed);
}

void readStep(const Configuration& configuration, const State& state, Steps& steps) {
  if ((state.waitFor & runningTransactions(configuration, state)) != 0) return;
  if (configuration.way == LoadWay::Blocking) {
    if (state.windowStage != WindowStage::None || state.slot == SlotState::Missing) return;
    State& next = steps.emplace_back(Step{Action::AskRead, 0, state}).next;
    next.waitFor = 0;
    std::array<Byte, kKeys> rows = next.row;
    for (int key = 0; key < kKeys; ++key) {
      if (!isInSegment(configuration, key, next.segment)) rows[static_cast<std::size_t>(key)] = kNoRow;
    }
    emitRead(next, rows, byteOf(next.run + 1), next.low[next.segment]);
    next.phase = RunPhase::ReadAsked;
    return;
  }
  State& next = steps.emplace_back(Step{Action::Read, 0, state}).next;
  next.waitFor = 0;
  listKeys(configuration, next);
  for (int key = 0; key < kKeys; ++key) {
    const auto index = static_cast<std::size_t>(key);
    if (isInSegment(configuration, key, next.segment) && hasBit(next.listed, key)) next.loaded[index] = next.row[index];
  }
  next.phase = RunPhase::Applying;
  if (configuration.rules.boundary == BoundaryRule::AfterRead) {
    next.phase = RunPhase::Stamping;
  } else {
    finishSegmentWhenApplied(configuration, next);
  }
}

void loadSteps(const Configuration& configuration, const State& state, Steps& steps) {
  for (int key = 0; key < kKeys; ++key) {
    const auto index = static_cast<std::size_t>(key);
    if (state.loaded[index] == kNoRow) continue;
    State& next = steps.emplace_back(Step{Action::Load, byteOf(key), state}).next;
    Incoming incoming;
    incoming.key = key;
    incoming.value = state.loaded[index];
    incoming.isRead = true;
    apply(configuration.rules, next, incoming, boundaryOfSegment(configuration.rules, next, next.segment));
    next.loaded[index] = kNoRow;
    finishSegmentWhenApplied(configuration, next);
  }
}

Position sweepBoundary(const Configuration& configuration, const State& state, int key) {
  const Rules& rules = configuration.rules;
  if (sweepsTooEarly(configuration, state)) return boundaryOfSegment(rules, state, state.segment);
  const int last = configuration.segments - 1;
  const int own = configuration.segmentOf[static_cast<std::size_t>(key)];
  return boundaryOfSegment(rules, state, rules.sweep == SweepRule::LastBoundary ? last : own);
}

void preview(const Configuration& configuration, State& state) {
  for (int key = 0; key < kKeys; ++key) {
    const SinkRow& row = state.sink[static_cast<std::size_t>(key)];
    const bool below = isBelow(configuration.rules, row, sweepBoundary(configuration, state, key));
    if (below && !hasBit(state.listed, key)) setBit(state.ghosts, key);
  }
  state.phase = RunPhase::Previewed;
  if (state.ghosts == 0) finishRun(configuration, state);
}

void commitSweep(const Configuration& configuration, State& state) {
  for (int key = 0; key < kKeys; ++key) {
    if (!hasBit(state.ghosts, key)) continue;
    SinkRow& row = state.sink[static_cast<std::size_t>(key)];
    const Position boundary = sweepBoundary(configuration, state, key);
    const bool unguarded = configuration.rules.sweep == SweepRule::CommitUnguarded;
    if (unguarded || isBelow(configuration.rules, row, boundary)) markSwept(configuration.rules, row, boundary);
  }
  finishRun(configuration, state);
}

}  // namespace

Position boundaryOfSegment(const Rules& rules, const State& state, int segment) {
  return boundaryOf(rules, state.low[static_cast<std::size_t>(segment)]);
}

bool runIsOver(const Configuration& configuration, const State& state) {
  return configuration.way == LoadWay::None || state.phase == RunPhase::Done;
}

void runSteps(const Configuration& configuration, const State& state, Steps& steps) {
  if (configuration.way == LoadWay::None) return;
  switch (state.phase) {
    case RunPhase::Idle:
      if (configuration.rules.slotBeforeLow && state.slot == SlotState::Missing) return;
      // A chunk of somebody else that is in flight would bring rows from before low to positions behind it.
      if (configuration.rules.othersKeepOut && configuration.visibleLater && state.windowStage != WindowStage::None)
        return;
      boundaryStep(configuration, state, steps);
      return;
    case RunPhase::LowTaken:
      boundaryStep(configuration, state, steps);
      return;
    case RunPhase::Waiting:
      readStep(configuration, state, steps);
      return;
    case RunPhase::Stamping: {
      State& next = steps.emplace_back(Step{Action::Stamp, 0, state}).next;
      next.low[next.segment] = next.nextLsn;
      next.phase = RunPhase::Applying;
      finishSegmentWhenApplied(configuration, next);
      return;
    }
    case RunPhase::ReadAsked: {
      State& next = steps.emplace_back(Step{Action::ListKeys, 0, state}).next;
      listKeys(configuration, next);
      finishSegment(configuration, next);
      return;
    }
    case RunPhase::Applying:
      loadSteps(configuration, state, steps);
      return;
    case RunPhase::Loaded: {
      const bool waits = configuration.rules.sweep != SweepRule::NotDrained;
      if (waits && !hasStreamedPast(state, state.low[state.segment])) return;
      State& next = steps.emplace_back(Step{Action::CheckDrained, 0, state}).next;
      next.drainedAt = waits ? next.topicCount : Byte{0};
      next.phase = RunPhase::Draining;
      return;
    }
    case RunPhase::Draining:
      if (state.consumed < state.drainedAt) return;
      preview(configuration, steps.emplace_back(Step{Action::Preview, 0, state}).next);
      return;
    case RunPhase::Previewed:
      commitSweep(configuration, steps.emplace_back(Step{Action::Sweep, state.ghosts, state}).next);
      return;
    case RunPhase::Done:
      return;
  }
}

}  // namespace tidemark::model
