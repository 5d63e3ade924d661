#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

/// Decimal text of `unscaled * 10^-scale`, exact at any length; `unscaled` is a big-endian two's complement number, as
/// Connect's Decimal holds it. No bytes mean 0. A negative scale appends zeros.
std::string decimalFromBytes(std::string_view unscaled, int scale);

/// A number as written ("1.5", "-12E+3", "NaN", "INFINITY") as PostgreSQL prints it: no exponent, no needless zeros in
/// front, and `scale` digits after the point when a scale is given. Empty when it is no number, or when the scale would
/// cut off digits.
std::optional<std::string> canonicalDecimal(std::string_view text, std::optional<int> scale);

}  // namespace tidemark
