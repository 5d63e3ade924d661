#include "engine/event/decimal_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <vector>

namespace tidemark {

namespace {

// PostgreSQL's numeric ends at 131,072 digits before the point and 16,383 behind it.
constexpr int kLargestShift = 150'000;

using Limbs = std::vector<std::uint32_t>;  // Most significant first.

/// Magnitude of a two's complement number in limbs of 32 bits.
Limbs magnitudeOf(std::string_view bytes, bool negative) {
  Limbs limbs((bytes.size() + 3) / 4, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - 1 - i]);
    const std::uint32_t digit = negative ? static_cast<unsigned char>(~byte) : byte;
    limbs[limbs.size() - 1 - i / 4] |= digit << (8 * (i % 4));
  }
  for (std::size_t i = limbs.size(); negative && i-- > 0;)
    if (++limbs[i] != 0) break;  // Two's complement is the inverse plus one.
  return limbs;
}

/// Divides in place and returns the remainder.
std::uint32_t divide(Limbs& limbs, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::uint32_t& limb : limbs) {
    const std::uint64_t value = (rest << 32U) | limb;
    limb = static_cast<std::uint32_t>(value / divisor);
    rest = value % divisor;
  }
  return static_cast<std::uint32_t>(rest);
}

std::string digitsOf(Limbs limbs) {
  std::string reversed;
  while (true) {
    const auto first = std::find_if(limbs.begin(), limbs.end(), [](std::uint32_t limb) { return limb != 0; });
    limbs.erase(limbs.begin(), first);
    if (limbs.empty()) break;
    std::uint32_t part = divide(limbs, 1'000'000'000U);
    for (int i = 0; i < 9; ++i, part /= 10) reversed.push_back(static_cast<char>('0' + part % 10));
  }
  while (!reversed.empty() && reversed.back() == '0') reversed.pop_back();
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

/// Puts the point into digits without leading zeros.
std::string withPoint(bool negative, std::string digits, int scale) {
  if (digits.empty()) negative = false;  // There is no minus zero in SQL.
  if (scale < 0 && !digits.empty()) digits.append(static_cast<std::size_t>(-scale), '0');
  const auto places = static_cast<std::size_t>(std::max(scale, 0));
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return negative ? "-" + digits : digits;
}

/// "NaN" and the infinities in any of the ways they are written.
std::optional<std::string> specialNumber(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper == "NAN") return "NaN";
  if (upper == "INFINITY" || upper == "POSITIVE_INFINITY") return "Infinity";
  if (upper == "-INFINITY" || upper == "NEGATIVE_INFINITY") return "-Infinity";
  return std::nullopt;
}

bool allDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string decimalFromBytes(std::string_view unscaled, int scale) {
  const bool negative = !unscaled.empty() && (static_cast<unsigned char>(unscaled.front()) & 0x80U) != 0;
  return withPoint(negative, digitsOf(magnitudeOf(unscaled, negative)), scale);
}

std::optional<std::string> canonicalDecimal(std::string_view text, std::optional<int> scale) {
  if (auto special = specialNumber(text)) return special;
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);

  int exponent = 0;
  if (const auto mark = text.find_first_of("eE"); mark != std::string_view::npos) {
    std::string_view figures = text.substr(mark + 1);
    if (!figures.empty() && figures.front() == '+') figures.remove_prefix(1);
    const auto read = std::from_chars(figures.data(), figures.data() + figures.size(), exponent);
    if (read.ec != std::errc{} || read.ptr != figures.data() + figures.size()) return std::nullopt;
    if (std::abs(exponent) > kLargestShift) return std::nullopt;
    text = text.substr(0, mark);
  }
  const auto point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (whole.size() + fraction.size() == 0 || !allDigits(whole) || !allDigits(fraction)) return std::nullopt;

  std::string digits = std::string(whole).append(fraction);
  int places = static_cast<int>(fraction.size()) - exponent;
  if (scale) {
    // Only zeros may be cut off to fit the scale: anything else would be another value.
    while (places > std::max(*scale, 0) && !digits.empty() && digits.back() == '0') {
      digits.pop_back();
      --places;
    }
    if (digits.empty()) places = std::max(*scale, 0);
    if (places > std::max(*scale, 0)) return std::nullopt;
    if (places < std::max(*scale, 0)) {
      digits.append(static_cast<std::size_t>(std::max(*scale, 0) - places), '0');
      places = std::max(*scale, 0);
    }
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return withPoint(negative, std::move(digits), places);
}

}  // namespace tidemark
