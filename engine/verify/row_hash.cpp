#include "engine/verify/row_hash.h"

#include <bit>
#include <cstring>
#include <string_view>

namespace tidemark {

namespace {

__extension__ using Wide = unsigned __int128;

// Odd constants with their bits spread evenly (fractions of square roots of primes).
constexpr std::uint64_t kStart = 0x6a09e667f3bcc909;
constexpr std::uint64_t kFirst = 0xbb67ae8584caa73b;
constexpr std::uint64_t kSecond = 0x3c6ef372fe94f82b;
constexpr std::uint64_t kKeyPart = 0xa54ff53a5f1d36f1;

/// Multiplies to 128 bits and folds: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Eight bytes as a number that is the same on every machine.
std::uint64_t load(const char* bytes, std::size_t size) {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, bytes, size);
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
  }
  return value;
}

std::uint64_t addText(std::uint64_t state, std::uint64_t kind, std::string_view text) {
  state = mix(state ^ kind, kFirst ^ text.size());
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 16; at += 16, left -= 16) state = mix(load(at, 8) ^ kFirst ^ state, load(at + 8, 8) ^ kSecond);
  if (left >= 8) {
    state = mix(load(at, 8) ^ kFirst ^ state, load(at + 8, left - 8) ^ kSecond);
  } else if (left > 0) {
    state = mix(load(at, left) ^ kFirst ^ state, kSecond);
  }
  return state;
}

}  // namespace

std::uint64_t rowHash(const Key& key, const Row& payload) {
  std::uint64_t state = mix(kStart ^ key.size(), kSecond ^ payload.size());
  for (const std::string& part : key) state = addText(state, kKeyPart, part);
  for (const Cell& cell : payload) {
    state =
        addText(state, static_cast<std::uint64_t>(cell.state) + 1, cell.isPresent() ? cell.text : std::string_view());
  }
  return mix(state ^ kSecond, kFirst);
}

void addRange(RangeDigest& total, const RangeDigest& part) {
  total.rows += part.rows;
  total.sum += part.sum;
  total.exclusiveOr ^= part.exclusiveOr;
  if (part.highest && (!total.highest || *total.highest < *part.highest)) total.highest = part.highest;
}

std::string digestText(const RangeDigest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t number : {digest.rows, digest.sum, digest.exclusiveOr}) {
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(kDigits[number >> shift & 15]);
  }
  return text;
}

}  // namespace tidemark
