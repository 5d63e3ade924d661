#pragma once

#include <cstdint>
#include <stop_token>

#include "engine/apply/sink.h"
#include "engine/core/progress.h"
#include "engine/keys/key_list.h"
#include "engine/postgres/connection.h"

namespace tidemark::postgres {

/// True for keys of integers and uuids: the client and the server order and equate them alike, whatever the collation,
/// so that merging two sorted streams finds exactly what an anti-join on equality finds.
bool mergesExactly(const TableMapping& mapping);

/// Finds the ghosts of a request by merging the key list with the sink's keys that qualify (live, below the boundary,
/// inside the scope), which are streamed in key order in one snapshot of a session of their own, and copies them into
/// the table of ghosts over `connection`, whose transaction is open. Much less work than holding the list against the
/// table on the server, since neither side is staged. Reads the list to its end, so that it is checked. Returns the
/// number of ghosts. Throws Error "keys.not_sorted" and "sweep.key_order" when a side is not in key order.
std::uint64_t mergeGhosts(Connection& connection, const TableMapping& mapping, const SweepRequest& request,
                          KeyListReader& keys, const std::stop_token& stop, ProgressMeter& meter);

}  // namespace tidemark::postgres
