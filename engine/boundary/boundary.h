#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/catalog/column_type.h"
#include "engine/position/position.h"

namespace tidemark {

/// A transaction that holds the boundary back (law, rule 4.3). Fields the role may not see are empty.
struct Blocker {
  std::int64_t pid = 0;      ///< 0 for a prepared transaction.
  std::string preparedName;  ///< Set for a prepared transaction.
  std::string user;
  std::string application;
  std::string transactionId;
  std::chrono::seconds age{0};  ///< Of the transaction.
  std::string queryStart;       ///< UTC.
  std::string waitEvent;        ///< "SyncRep" when it waits for a synchronous standby.
};

/// A captured boundary. Reads that begin after it are stamped with `position`.
struct Boundary {
  Position position;     ///< B.
  std::int64_t low = 0;  ///< Rule 4.1; B lies just below.
  std::int64_t settled =
      0;  ///< Log position after the wait: every transaction with a change below low ended before it.
  std::string transactionId;  ///< X of rule 4.2.
  std::string restartLsn;     ///< Of the profile's slot; empty without one.
  Lineage lineage;
  /// The table's change counters from before `low`, for Source::unchangedSince(); empty when no table was named, or the
  /// source does not need them. Opaque; kept with the boundary, so that a later process can still ask.
  std::string changeMark;
  std::string serverStart;  ///< Identifies the server's life: a restart voids the run (rule 4.5).
  std::chrono::milliseconds waited{0};
  std::vector<Blocker> heldBackBy;  ///< Everybody who was seen holding it back.
};

struct BoundaryOptions {
  PositionScheme scheme = PositionScheme::Lsn;
  std::chrono::milliseconds timeout{std::chrono::minutes(5)};  ///< Of the wait for others' transactions to end.
  std::string slot;
  std::optional<TableName> table;  ///< Whose changes unchangedSince() will be asked about.
};

/// Told about once a second who holds the boundary back. Return false to give up (Error "boundary.given_up").
using BoundaryObserver = std::function<bool(const std::vector<Blocker>&, std::chrono::milliseconds waited)>;

}  // namespace tidemark
