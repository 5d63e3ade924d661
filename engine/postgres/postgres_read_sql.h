#pragma once

#include <string>

#include "engine/apply/sink.h"

namespace tidemark::postgres {

/// SQL text of reading a sink. A stored row is read as key, payload, position and marker, in this order.

/// Columns of a stored row in canonical text.
std::string storedColumns(const TableMapping& mapping, const std::string& alias, bool withPayload = true);
/// `(t."lsn") < (17::bigint)`: strictly below the position.
std::string belowPosition(const TableMapping& mapping, const std::string& alias, const Position& position);
/// The position as an array of bigint, and as a row of literals.
std::string positionArray(const TableMapping& mapping, const std::string& alias);
std::string positionLiterals(const TableMapping& mapping, const Position& position);
/// Numbers of the position in column order.
std::vector<std::int64_t> positionNumbers(const TableMapping& mapping, const Position& position);

/// Live rows of the scope in key order; the statement stands in COPY (…), so it takes no parameters.
std::string selectRows(const TableMapping& mapping, const Scope& scope, SinkRows which, const Position& boundary,
                       bool withPayload);
/// COPY … TO STDOUT of such a statement.
std::string copyRowsOut(const std::string& select);
/// One count each: live rows of the scope, markers of the range.
std::string countLiveRows(const TableMapping& mapping, const Scope& scope);
std::string countMarkerRows(const TableMapping& mapping, const KeyRange& range);
/// The position as an array of bigint of the highest row, or of the lowest at or above zero; NULL when there is none.
std::string newestStored(const TableMapping& mapping);
std::string lowestStored(const TableMapping& mapping);
/// $1, $2, …: one array a key column.
std::string selectKeys(const TableMapping& mapping);
/// Locks stored rows and answers their keys and, last, their positions as an array. Parameters as for selectKeys.
std::string lockKeys(const TableMapping& mapping);
/// Parses the condition as a whole (CASE allows no stray parenthesis) and reads nothing.
std::string tryFilter(const TableMapping& mapping, const std::string& condition);

}  // namespace tidemark::postgres
