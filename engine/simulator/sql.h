#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::simulator::sql {

/// Statements that make the simulator's file, in order.
std::vector<std::string> createStatements();

// The writer's statements. Values are bound in the order of the columns.
extern const char* const kReadMeta;          ///< name
extern const char* const kWriteMeta;         ///< name, value
extern const char* const kInsertLogEntry;    ///< position, commit_end, operation, id, five columns, note_unchanged
extern const char* const kInsertCommit;      ///< commit_end, commit_position, transaction_id, committed_at, visible
extern const char* const kPutOrder;          ///< id and the five other columns
extern const char* const kDeleteOrder;       ///< id
extern const char* const kReadOrder;         ///< id
extern const char* const kMakeVisible;       ///< commit_end
extern const char* const kInvisibleCommits;  ///< none; commit_end
extern const char* const kNewestCommit;      ///< none; commit_end or null
extern const char* const kCommitsAfter;      ///< commit_end, how many
extern const char* const kEntriesOfCommit;   ///< commit_end
extern const char* const kChangedSince;      ///< position
extern const char* const kReadSlot;          ///< name
extern const char* const kWriteSlot;         ///< name, streamed, last_commit or null
extern const char* const kLargestKey;        ///< none; largest id that the table or the log ever held

/// The demo's sink table: SQLite's declared types tell the sink what each column holds.
std::string createDemoSink(const std::vector<std::string>& positionColumns);

/// A name as SQL.
std::string quoted(const std::string& identifier);

/// A SELECT with the values of its placeholders (key bounds).
struct Query {
  std::string text;
  std::vector<std::int64_t> values;
};

/// The query as it reads with its values in place, for showing.
std::string withValues(const Query& query);
/// A key of the table as a number. Throws Error "source.key_value".
std::int64_t keyValue(const Key& key);

/// Key, in_filter, then the payload columns of every row of the range, in key order.
Query segment(const TableMapping& mapping, const Scope& scope);
/// The same of the rows that satisfy the filter alone.
Query liveRows(const TableMapping& mapping, const Scope& scope);
/// The same of one key, whose value is the one placeholder; the filter plays no part.
std::string singleRow(const TableMapping& mapping);
/// How many keys the range has; how many rows the scope has, and about how many bytes.
Query countKeys(const TableMapping& mapping, const KeyRange& range);
Query estimate(const TableMapping& mapping, const Scope& scope);
/// The last key of every full group of `rowsPerRange` keys.
Query rangeEnds(const TableMapping& mapping, const KeyRange& range, std::uint64_t rowsPerRange);
/// Parses only when `condition` is a condition on the table.
std::string filterProbe(const TableMapping& mapping, const std::string& condition);

}  // namespace tidemark::simulator::sql
