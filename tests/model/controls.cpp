#include "tests/model/configurations.h"

namespace tidemark::model {
namespace {

Configuration small(PositionRule scheme, const std::string& name) {
  Configuration c;
  c.name = name;
  c.rules.position = scheme;
  return c;
}

/// A load of a sink that lacks nothing, next to one or two transactions.
Configuration plainLoad(std::vector<Transaction> transactions, bool visibleLater) {
  Configuration c = small(PositionRule::LawLsn, "load");
  c.transactions = std::move(transactions);
  c.row = {1, 2, 0};
  c.sink = {SinkRow{1, 2, 0, 1}, SinkRow{1, 2, 0, 2}, SinkRow{}};
  c.visibleLater = visibleLater;
  c.way = LoadWay::Sql;
  return c;
}

/// Ghosts, and keys that come and go while the sweep goes on.
Configuration sweepOf(std::vector<Transaction> transactions) {
  Configuration c = small(PositionRule::LawLsn, "sweep");
  c.transactions = std::move(transactions);
  c.row = {1, 0, 0};
  c.sink = {SinkRow{1, 2, 0, 1}, SinkRow{1, 2, 0, 9}, SinkRow{}};
  c.losses = 1;
  c.rewinds = 1;
  c.way = LoadWay::Sql;
  return c;
}

/// Reads of a connector over open transactions, with a reset. No run.
Configuration readsAndResets() {
  Configuration c = small(PositionRule::LawCommitLsn, "reads and resets");
  c.transactions = {{{{0, 4}}}, {{{1, 5}, {0, 6}}}, {{{1, 7}}}};
  c.row = {1, 2, 0};
  c.freshSlot = true;
  c.resets = 1;
  c.blocking = 1;
  return c;
}

class Controls {
 public:
  /// `change` turns the law into the unsafe rule.
  template <typename Change>
  void add(const std::string& name, const Configuration& law, Change change) {
    Configuration unsafe = law;
    change(unsafe.rules);
    m_controls.push_back(Control{name, law, unsafe});
  }
  void addUnsafe(const std::string& name, const Configuration& law, const Configuration& unsafe) {
    m_controls.push_back(Control{name, law, unsafe});
  }
  std::vector<Control> take() { return std::move(m_controls); }

 private:
  std::vector<Control> m_controls;
};

void addGuardControls(Controls& controls) {
  Configuration deletes = plainLoad({{{{0, kNoRow}}}, {{{0, 4}, {1, kNoRow}}}}, false);
  for (SinkRow& row : deletes.sink) row.first = 0;  // older than every change by time, too
  controls.add("last arrival wins", deletes, [](Rules& r) { r.guard = GuardRule::LastArrivalWins; });
  controls.add("guard with a delete that removes the row", deletes, [](Rules& r) { r.keepMarkers = false; });
  controls.add("newest timestamp, ties to the later", deletes, [](Rules& r) {
    r.position = PositionRule::Timestamp;
    r.guard = GuardRule::EqualReplaces;
  });
  controls.add("newest timestamp, strictly", deletes, [](Rules& r) { r.position = PositionRule::Timestamp; });

  const Configuration twice = plainLoad({{{{0, 4}, {0, 5}}}}, false);
  controls.add("commit LSN alone", twice, [](Rules& r) { r.position = PositionRule::CommitLsnAlone; });
  const Configuration quiet = plainLoad({{{{0, 4}}}}, false);
  controls.add("guard that lets an equal position replace, load stamped with P itself", quiet, [](Rules& r) {
    r.guard = GuardRule::EqualReplaces;
    r.stamp = StampRule::LowItself;
  });
  Configuration outOfTurn = twice;
  outOfTurn.way = LoadWay::None;
  outOfTurn.strays = 1;
  controls.add("guard that lets an equal position replace, commit LSN as position", outOfTurn, [](Rules& r) {
    r.guard = GuardRule::EqualReplaces;
    r.position = PositionRule::CommitLsnAlone;
  });
}

void addPositionControls(Controls& controls) {
  const Configuration reads = readsAndResets();
  const auto unmended = [](PositionRule position) {
    return [position](Rules& r) {
      r.position = position;
      r.keepDoubtful = false;
    };
  };
  Configuration lsnReads = reads;
  lsnReads.rules.position = PositionRule::LawLsn;
  controls.add("source.lsn on reads too", lsnReads, unmended(PositionRule::LsnOnReads));
  controls.add("the pair as it stands, null as 0", reads, unmended(PositionRule::PairNullAsZero));
  controls.add("only the pair's reads mended", reads, unmended(PositionRule::OnlyReadsMended));
  controls.add("only the pair's nulls mended", reads, unmended(PositionRule::OnlyNullsMended));
  controls.add("both mended, without the doubtful list", reads, [](Rules& r) { r.keepDoubtful = false; });

  Configuration asked = small(PositionRule::LawCommitLsn, "reads asked for by signal in two runs");
  asked.transactions = {{{{1, 4}}}, {{{0, kNoRow}}}};
  asked.row = {1, 2, 0};
  asked.sink = {SinkRow{1, 2, 2, 1}, SinkRow{1, 2, 2, 2}, SinkRow{}};
  asked.visibleLater = true;
  asked.rewinds = 1;
  asked.runs = 2;
  asked.way = LoadWay::Blocking;
  controls.add("reads of an earlier run taken for reads of others", asked,
               [](Rules& r) { r.askedKeepBoundary = false; });
}

void addBoundaryControls(Controls& controls) {
  const Configuration quiet = plainLoad({{{{0, 4}}}}, false);
  controls.add("stamping P itself", quiet, [](Rules& r) { r.stamp = StampRule::LowItself; });
  controls.add("the position after the read", quiet, [](Rules& r) { r.boundary = BoundaryRule::AfterRead; });
  controls.add("the current position, without a wait", quiet, [](Rules& r) { r.boundary = BoundaryRule::NoWait; });
  controls.add("X before low", quiet, [](Rules& r) { r.boundary = BoundaryRule::XBeforeLow; });
  controls.add("X = xmax of the snapshot, until xmin >= X", quiet,
               [](Rules& r) { r.boundary = BoundaryRule::SnapshotXmax; });
  controls.add("the transactions of sessions alone, prepared ones forgotten", quiet,
               [](Rules& r) { r.boundary = BoundaryRule::SessionsOnly; });
  const Configuration invisible = plainLoad({{{{0, 4}}}}, true);
  controls.add("restart_lsn alone", invisible, [](Rules& r) { r.boundary = BoundaryRule::RestartLsn; });
  Configuration pair = invisible;
  pair.rules.position = PositionRule::LawCommitLsn;
  controls.add("the pair, without a wait, commits visible later", pair,
               [](Rules& r) { r.boundary = BoundaryRule::NoWait; });
}

/// What the law refuses, or wants to be so before it begins.
void addConditionControls(Controls& controls) {
  Configuration ordered = small(PositionRule::LawLsn, "a key that is deleted and created by two transactions");
  ordered.transactions = {{{{0, kNoRow}}}, {{{0, 4}}}};
  ordered.row = {1, 0, 0};
  ordered.sink = {SinkRow{1, 2, 0, 1}, SinkRow{}, SinkRow{}};
  Configuration deferrable = ordered;
  deferrable.rowLocks = false;
  controls.addUnsafe("a deferrable primary key", ordered, deferrable);

  Configuration fresh = plainLoad({{{{0, 4}}}}, false);
  fresh.freshSlot = true;
  controls.add("a slot that is younger than low", fresh, [](Rules& r) { r.slotBeforeLow = false; });

  Configuration others = small(PositionRule::LawCommitLsn, "reads of others, commits visible later");
  others.transactions = {{{{0, kNoRow}}}, {{{1, 4}}}};
  others.row = {1, 2, 0};
  others.sink = {SinkRow{1, 2, 2, 1}, SinkRow{1, 2, 2, 2}, SinkRow{}};
  others.visibleLater = true;
  others.blocking = 1;
  others.way = LoadWay::Sql;
  controls.add("a read of somebody else behind low, commits visible later", others,
               [](Rules& r) { r.othersKeepOut = false; });
  others.blocking = 0;
  others.windows = 1;
  controls.add("a chunk of somebody else behind low, commits visible later", others,
               [](Rules& r) { r.othersKeepOut = false; });
}

void addSweepControls(Controls& controls) {
  const Configuration recreated = sweepOf({{{{1, 4}}}, {{{0, 5}}}});
  controls.add("sweep without the position guard", recreated, [](Rules& r) { r.sweep = SweepRule::NoPositionGuard; });
  controls.add("sweep whose commit does not repeat the guard", recreated,
               [](Rules& r) { r.sweep = SweepRule::CommitUnguarded; });
  controls.add("sweep with a key list that misses a key", recreated,
               [](Rules& r) { r.sweep = SweepRule::ListIncomplete; });
  controls.add("sweep with a filtered key list", recreated, [](Rules& r) { r.sweep = SweepRule::ListFiltered; });
  controls.add("sweep before the topic is drained", sweepOf({{{{2, 4}}}, {{{2, kNoRow}}}}),
               [](Rules& r) { r.sweep = SweepRule::NotDrained; });

  Configuration segments = recreated;
  segments.segments = 2;
  segments.segmentOf = {1, 0, 1};
  controls.add("sweep of all segments at the last boundary", segments,
               [](Rules& r) { r.sweep = SweepRule::LastBoundary; });
  controls.add("sweep before the load is complete", segments,
               [](Rules& r) { r.sweep = SweepRule::BeforeLoadComplete; });
}

}  // namespace

std::vector<Control> controls() {
  Controls controls;
  addGuardControls(controls);
  addPositionControls(controls);
  addBoundaryControls(controls);
  addSweepControls(controls);
  addConditionControls(controls);
  return controls.take();
}

}  // namespace tidemark::model
