#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tidemark {

/// SHA-256 over a growing stream, of which a prefix can be taken at any time: a checkpoint of a list that goes on being
/// written needs that. One thread at a time.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// Digest of everything added so far, lower-case hex. Does not end the stream.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace tidemark
