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

std::vector<LoggedTransaction> readTransactions(SqliteFile& file, std::int64_t afterCommitEnd, std::size_t limit);
std::optional<Order> readOrder(SqliteFile& file, std::int64_t id);
std::optional<std::string> readMeta(SqliteFile& file, const std::string& name);
void writeMeta(SqliteFile& file, const std::string& name, const std::string& value);
std::int64_t readNumber(SqliteFile& file, const char* statement);

}  // namespace tidemark::simulator
