#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cell.h"

namespace tidemark::postgres {

/// The server's text form of one-dimensional arrays, for binding many values as one parameter.

/// `{"1","a\"b"}`: every element quoted.
std::string arrayText(std::span<const std::string> elements);
/// The same with NULLs; a left-out cell throws Error "postgres.left_out".
std::string arrayText(std::span<const Cell> cells);
std::string arrayText(std::span<const std::int64_t> numbers);

/// Reads the text form back; NULL elements become Cell::null().
std::vector<Cell> readArray(std::string_view text);
std::vector<std::int64_t> readNumbers(std::string_view text);
/// A key as it is kept in the tidemark schema. None of its elements is NULL.
Key readKey(std::string_view text);

}  // namespace tidemark::postgres
