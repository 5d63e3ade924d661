#pragma once

#include <string>

#include "engine/certify/certify.h"

namespace tidemark::postgres {

/// SQL text of the convergence suite. `table` is a quoted scratch table throughout.

std::string createScratchTable(const std::string& table);
std::string readScratchTable(const std::string& table);
/// What the events of one batch are copied into: arrival, world, id, deleted, value, position, ts_ms.
extern const char* const kCreateDeliveries;
extern const char* const kCopyDeliveries;
/// The statements by which a broken sink applies the deliveries.
std::string applyBrokenly(CertifiedSink rule, const std::string& table);
/// Scratch tables of any certification: schema and name.
extern const char* const kListScratchTables;
/// $1 name: true when no session certifies with that table any more; the session has its lock then.
extern const char* const kTryScratchLock;
extern const char* const kReleaseScratchLock;  ///< $1 name.
/// Schema that a scratch table may be made in: NULL when there is none yet and none may be made.
extern const char* const kScratchSchema;

}  // namespace tidemark::postgres
