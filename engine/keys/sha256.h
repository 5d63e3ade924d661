#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark {

/// SHA-256 over a growing stream. A value: the digest of a prefix is taken from a copy while the stream goes on, which
/// is what a checkpoint needs and what a one-way hash object does not promise.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// Digest of everything added so far, lower-case hex. Does not end the stream.
  std::string hex() const;

 private:
  void block(const unsigned char* data);
  std::array<unsigned char, 32> finish();

  std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> m_pending{};
  std::size_t m_pendingSize = 0;
  std::uint64_t m_total = 0;
};

}  // namespace tidemark
