#pragma once

#include <string_view>

namespace tidemark::postgres {

/// Refuses a filter whose text could leave the parenthesis it is put into: a closing parenthesis too many, a
/// semicolon, a comment, an unfinished quote, a parameter ($1), or nothing at all. Throws Error
/// "filter.does_not_parse". What is left is for the server to parse.
void requireSelfContained(std::string_view condition);

}  // namespace tidemark::postgres
