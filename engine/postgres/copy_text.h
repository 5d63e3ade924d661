#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cell.h"

namespace tidemark::postgres {

/// Appends a value in COPY's text format: backslash, tab, line feed and carriage return escaped. No separator.
void appendCopyText(std::string& line, std::string_view value);
/// The same for a cell: "\N" for NULL. A left-out cell has no place in a table: throws Error "postgres.left_out".
void appendCopyCell(std::string& line, const Cell& cell);

/// Splits one row of COPY's text format into cells, reusing their memory. Unknown escapes stand for themselves, as in
/// the server.
void splitCopyLine(std::string_view line, std::vector<Cell>& cells);

}  // namespace tidemark::postgres
