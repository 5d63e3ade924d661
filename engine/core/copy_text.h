#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cell.h"

namespace tidemark {

/// PostgreSQL's COPY text format, which key lists and before-images share: fields apart by tabs, rows by line feeds, \N
/// is NULL. Any thread. What writes appends; what reads takes one line without its line feed, reuses the memory of the
/// values it is given, and throws Error "copy.text" for a field that ends in the middle of an escape.

/// Backslash, tab, line feed, carriage return, backspace, form feed and vertical tab are escaped.
void appendCopyText(std::string& line, std::string_view field);
/// \N for NULL. A left-out cell must have been resolved before: throws Error "copy.left_out".
void appendCopyCell(std::string& line, const Cell& cell);
/// Cells, apart by tabs. Throws as appendCopyCell does.
void appendCopyRow(std::string& line, const Row& row);
/// A key's parts, apart by tabs.
void appendCopyKey(std::string& line, const Key& key);

/// Reads cells back, as many as the line has: an empty line is one empty cell. Octal and hexadecimal escapes are
/// understood; other escaped letters stand for themselves, as in the server.
void readCopyRow(std::string_view line, Row& row);
/// The same for a key, in which \N is text like any other.
void readCopyKey(std::string_view line, Key& key);

}  // namespace tidemark
