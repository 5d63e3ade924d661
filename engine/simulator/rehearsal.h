#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/monitor/finding.h"
#include "engine/position/position.h"

namespace tidemark {

/// One change that was rehearsed against a read that did not see it.
struct RehearsalCase {
  std::string name;         ///< Stable: "straddler".
  std::string title;        ///< For people: what happens in which order.
  std::int64_t id = 0;      ///< The order that was changed.
  std::int64_t change = 0;  ///< Log position of the change.
  std::int64_t low = 0;     ///< The boundary's low mark.
  Position stamp;           ///< What the read was stamped with.
  std::string expected;     ///< The newer status.
  std::string found;        ///< The sink's status in the end; "(no row)" or "(deleted)" without one.

  bool newerWins() const { return found == expected; }
};

struct RehearsalResult {
  /// "straddler": began before the read, committed after it, delivered after the load.
  /// "straddler_first": the same, delivered while the load was still to apply its read.
  /// "at_boundary": a change at exactly `low`, which is what a quiet source gives the next change.
  /// "older": began before the boundary with a change below it; the wait of rule 4 must let the read see it.
  std::vector<RehearsalCase> cases;
  /// The control: the case "at_boundary" with the read stamped one higher, at `low` itself, which must lose the newer
  /// value. A rehearsal in which it does not has shown nothing.
  RehearsalCase control;

  bool passed() const;
};

/// Step 3 of a run on the simulator: boundary, load, guard and stream are the engine's own, on a small world in a
/// temporary folder that is removed again. Takes about a second, on the calling thread. Throws Cancelled, Error
/// "simulator.storage", and what boundary, load or sink throw.
/// `scheme` is lsn or commit-lsn; Error "simulator.scheme" otherwise.
RehearsalResult rehearse(PositionScheme scheme, std::stop_token stop);

/// One finding a case ("rehearsal.straddler"), the control's last: passed, or failed with what it means.
std::vector<Finding> rehearsalFindings(PositionScheme scheme, const RehearsalResult& result);

}  // namespace tidemark
