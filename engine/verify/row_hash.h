#pragma once

#include <cstdint>
#include <string>

#include "engine/core/cell.h"
#include "engine/source/digest.h"

namespace tidemark {

/// 64-bit hash of a row's canonical text, made in the client: the same on every machine, whatever the databases are.
/// Every part is hashed with its length and state, so that ("a", "bc") and ("ab", "c"), and NULL and "", differ.
/// Not cryptographic: it finds accidents, not attacks.
std::uint64_t rowHash(const Key& key, const Row& payload);

/// Adds one row's hash to a range's digest.
inline void addRow(RangeDigest& digest, std::uint64_t hash) {
  ++digest.rows;
  digest.sum += hash;
  digest.exclusiveOr ^= hash;
}

/// Adds the digest of a disjoint range.
void addRange(RangeDigest& total, const RangeDigest& part);

/// Rows, sum and XOR as 48 lower-case hex digits: equal when the contents are.
std::string digestText(const RangeDigest& digest);

}  // namespace tidemark
