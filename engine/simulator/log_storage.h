#pragma once

#include <optional>
#include <vector>

#include "engine/simulator/database.h"
#include "engine/simulator/sqlite_file.h"

namespace tidemark::simulator {

/// Reading and writing the simulator's tables. All run on the storage's thread; those that write expect an open write
/// transaction.

/// Writes the log of one transaction.
void writeLog(SqliteFile& file, const LoggedTransaction& transaction, bool visible);
/// Brings the table to the state after the transaction.
void applyToTable(SqliteFile& file, const LoggedTransaction& transaction);
/// Applies what was logged and not yet made visible when the process ended, in commit order.
void redoInvisible(SqliteFile& file);

/// At most `limit` transactions whose commit ended above `afterCommitEnd`, in commit order.
std::vector<LoggedTransaction> readTransactions(SqliteFile& file, std::int64_t afterCommitEnd, std::size_t limit);
/// The row as readers see it; empty when there is none.
std::optional<Order> readOrder(SqliteFile& file, std::int64_t id);
/// A named value that outlives the process; empty when it was never written.
std::optional<std::string> readMeta(SqliteFile& file, const std::string& name);
void writeMeta(SqliteFile& file, const std::string& name, const std::string& value);
/// The first column of the only row of a statement without placeholders.
std::int64_t readNumber(SqliteFile& file, const char* statement);

}  // namespace tidemark::simulator
