#pragma once

#include "app/ctl/terminal.h"
#include "engine/boundary/boundary.h"

namespace tidemark::ctl {

/// Prints who holds a boundary back, whenever that changes or ten seconds have passed, and keeps on waiting. The
/// terminal must outlive it.
BoundaryObserver boundaryWatch(Terminal& terminal);
/// "pid 4711, app as shop, open for 42 s, waits on SyncRep", or the prepared transaction's name.
std::string blockerText(const Blocker& blocker);

}  // namespace tidemark::ctl
