#pragma once

#include <memory>

#include "engine/simulator/database.h"
#include "engine/source/source.h"

namespace tidemark {

/// A source on a simulated database, which clones share. Every call and every stream has a connection of its own, so
/// it may be used from any thread, one at a time; a segment's or a verification's snapshot is an SQLite read
/// transaction that lives as long as its stream. Filters are SQLite conditions on the columns of `orders`, whose values
/// are canonical text except for id: compare a total as cast(total AS REAL).
std::unique_ptr<Source> openSimulatedSource(std::shared_ptr<SimulatedDatabase> database);

/// What the catalogue says of the simulator's table.
TableShape simulatedOrdersShape();

}  // namespace tidemark
