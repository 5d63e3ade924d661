#pragma once

// Random schedules of transactions, a connector with its reads, offset resets and redelivery: longer than what the
// exhaustive model can visit, and without a run. Every schedule follows from its seed.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::model {

inline constexpr int kRandomKeys = 3;
inline constexpr int kNoValue = 0;
using RandomRows = std::array<int, kRandomKeys>;  ///< Value of each key, kNoValue where there is no row.

struct RandomEvent {
  int key = 0;
  int value = kNoValue;  ///< kNoValue: a delete.
  bool isRead = false;
  std::optional<std::int64_t> first;  ///< sequence[0]
  std::int64_t lsn = 0;
};

struct RandomSchedule {
  RandomRows source{};              ///< Rows at the end.
  std::vector<RandomEvent> events;  ///< As delivered, a part of them perhaps twice.
};

/// Empty events when the connector never started.
RandomSchedule randomSchedule(std::uint64_t seed);

}  // namespace tidemark::model
