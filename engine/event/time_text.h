#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

/// A moment without time zone: days since 1970-01-01 (proleptic Gregorian) and nanoseconds of that day.
struct Moment {
  std::int64_t days = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator==(const Moment&, const Moment&) = default;
};

/// `count` units since 1970, `perSecond` of them a second (1000, 1000000 or 1000000000).
Moment momentFromEpoch(std::int64_t count, std::int64_t perSecond);

/// Reads "2024-02-29", "2024-02-29Z", "2024-02-29T12:34:56.789Z", "…+02:00", with a blank for the T, and years with a
/// sign and any digits (-0043 is 44 BC). An offset is taken off, so that the result is UTC. Empty when it is none.
std::optional<Moment> parseIsoMoment(std::string_view text);

/// "2024-02-29" as PostgreSQL prints it, with " BC" where due. Empty outside what PostgreSQL's date holds.
std::optional<std::string> dateText(std::int64_t days);

/// "2024-02-29 12:34:56.789" and `zone` ("" or "+00"), trailing zeros of the fraction dropped. Empty outside what
/// PostgreSQL's timestamp holds.
std::optional<std::string> timestampText(const Moment& moment, std::string_view zone);

}  // namespace tidemark
