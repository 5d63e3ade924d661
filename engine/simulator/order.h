#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark {

/// A row of the simulator's one table, in canonical text (engine/catalog/column_type.h):
/// orders(id bigint primary key, customer text, status text, total numeric(12,2), note text null, updated_at
/// timestamptz).
struct Order {
  std::int64_t id = 0;
  std::string customer;
  std::string status;
  std::string total = "0.00";
  std::optional<std::string> note;
  std::string updatedAt;

  friend bool operator==(const Order&, const Order&) = default;
};

/// Microseconds since 1970 as canonical timestamptz text.
std::string canonicalTimestamp(std::int64_t microseconds);
/// The clock's time of now in microseconds since 1970, for updated_at and ts_ms. Never ordered on.
std::int64_t microsecondsNow();

}  // namespace tidemark
