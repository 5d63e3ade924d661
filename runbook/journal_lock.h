#pragma once

#include <optional>

#include "engine/apply/sink.h"
#include "runbook/journal_database.h"

namespace tidemark::runbook {

/// The driving lock: one row in the journal's file. Empty too when its holder is a process of this machine that is
/// gone. Private to the journal.
std::optional<LockHolder> readLock(const JournalDatabase& database);
/// Takes the lock inside the caller's transaction; returns the holder that it was taken from because its process is
/// gone. Throws Error "journal.locked".
std::optional<LockHolder> takeLock(const JournalDatabase& database, const LockHolder& holder);
/// Gives the lock back; leaves a lock that another process holds.
void releaseLock(const JournalDatabase& database, const LockHolder& holder);

/// When the process with this number began, in the system's ticks since boot; empty when there is none. Told apart
/// from a later process that got the same number.
std::string processStart(std::int64_t pid);

}  // namespace tidemark::runbook
