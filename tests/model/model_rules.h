#pragma once

// The rules that a model runs under: the law, which calls the engine, and the unsafe rules that stay as controls.

#include <optional>

#include "engine/position/position.h"
#include "tests/model/model_state.h"

namespace tidemark::model {

enum class PositionRule {
  LawLsn,           ///< The engine under lsn.
  LawCommitLsn,     ///< The engine under commit-lsn.
  LsnOnReads,       ///< source.lsn, on reads too.
  PairNullAsZero,   ///< source.sequence as it stands, null as 0.
  OnlyReadsMended,  ///< Reads are (c, 0); a null first element of a change is 0.
  OnlyNullsMended,  ///< A null first element of a change is its own lsn; reads as they stand.
  CommitLsnAlone,   ///< The transaction's commit position.
  Timestamp,        ///< The commit time, coarse enough for ties.
};
enum class GuardRule { Strict, EqualReplaces, LastArrivalWins };
enum class BoundaryRule {
  Law,           ///< low; X; until xmin > X; read.
  NoWait,        ///< The current position, and read at once.
  SnapshotXmax,  ///< X is the snapshot's xmax, until xmin >= X.
  XBeforeLow,    ///< The right wait in the wrong order.
  RestartLsn,    ///< The slot's restart_lsn alone.
  SessionsOnly,  ///< The transactions that sessions show (xact_start): prepared ones are forgotten.
  AfterRead,     ///< Waits, but stamps the position that it finds after the read.
};
enum class StampRule { BelowLow, LowItself };
enum class SweepRule {
  Law,
  NoPositionGuard,     ///< Every live row that is not in the list.
  LastBoundary,        ///< All segments at the last boundary.
  ListIncomplete,      ///< The pass does not see its last row, as under row security: neither listed nor loaded.
  ListFiltered,        ///< The pass holds only the rows that the filter still finds.
  BeforeLoadComplete,  ///< After the first segment of two, over the whole scope.
  NotDrained,          ///< As soon as the load is applied.
  CommitUnguarded,     ///< The guard is in the preview alone.
};

struct Rules {
  PositionRule position = PositionRule::LawLsn;
  GuardRule guard = GuardRule::Strict;
  BoundaryRule boundary = BoundaryRule::Law;
  StampRule stamp = StampRule::BelowLow;
  SweepRule sweep = SweepRule::Law;
  bool keepMarkers = true;        ///< False: a delete removes the row.
  bool askedKeepBoundary = true;  ///< False: reads that an earlier run asked for count as reads of others.
  bool othersKeepOut = true;      ///< False: others may read behind low although commits are visible later.
  bool slotBeforeLow = true;      ///< False: the slot may be younger than low.
  bool keepDoubtful = true;       ///< False: a losing change with a null first element is forgotten.

  /// The scheme whose boundary and doubt rule the engine is asked for.
  PositionScheme scheme() const;
};

/// A change or read on its way to the sink.
struct Incoming {
  int key = 0;
  Byte value = kNoRow;
  bool isRead = false;
  std::optional<std::int64_t> first;  ///< sequence[0]
  std::int64_t lsn = 0;
  std::int64_t commitEnd = 0;  ///< Known to the controls alone: no connector tells it.
};

Position positionOf(const Rules& rules, const Incoming& incoming);
Position boundaryOf(const Rules& rules, std::int64_t low);

/// Applies one change at a position as a sink does: guard, marker, doubt.
void apply(const Rules& rules, State& state, const Incoming& incoming, const Position& position);
/// The sweep's predicate: live and, unless the rule leaves it out, below the boundary.
bool isBelow(const Rules& rules, const SinkRow& row, const Position& boundary);
/// Marks a swept row.
void markSwept(const Rules& rules, SinkRow& row, const Position& boundary);

}  // namespace tidemark::model
