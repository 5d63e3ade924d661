#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/position/position.h"

namespace tidemark {

/// How a range's rows are reduced to a number. Two sides may compare digests only when their methods are equal,
/// `name` included ("postgresql:hash_record_extended"); a client-side hash over canonical text needs no method.
struct DigestMethod {
  std::string name;
  friend bool operator==(const DigestMethod&, const DigestMethod&) = default;
};

struct RangeDigest {
  std::uint64_t rows = 0;           ///< Live rows.
  std::uint64_t sum = 0;            ///< Sum of row hashes, modulo 2^64.
  std::uint64_t exclusiveOr = 0;    ///< XOR of row hashes; 0 in digests of a server, where it would double the cost.
  std::optional<Position> highest;  ///< Highest stored position, sinks only; not compared.

  bool sameContent(const RangeDigest& other) const {
    return rows == other.rows && sum == other.sum && exclusiveOr == other.exclusiveOr;
  }
};

}  // namespace tidemark
