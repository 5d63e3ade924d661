#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cell.h"

namespace tidemark {

/// PostgreSQL's COPY text format, which spool files share: fields apart by tabs, rows by line feeds, \N is NULL.
/// Any thread. The functions that read throw Error "copy.text" for what no COPY writes.

/// Appends `field` with backslash, tab, line feed, carriage return, backspace, form feed and vertical tab escaped.
void appendCopyText(std::string& out, std::string_view field);
/// Appends a cell: \N for NULL. A left-out cell must have been resolved before and throws Error "copy.left_out".
void appendCopyCell(std::string& out, const Cell& cell);
std::string escapeCopyText(std::string_view field);

/// Reads one field back, the octal and hexadecimal escapes that a server may print included. "\N" is no text: use
/// readCopyCell where NULL can occur.
std::string unescapeCopyText(std::string_view field);
Cell readCopyCell(std::string_view field);

/// Splits a line (without its line feed) at its tabs, fields still escaped. An empty line is one empty field.
std::vector<std::string_view> splitCopyLine(std::string_view line);

}  // namespace tidemark
