#pragma once

#include <utility>
#include <vector>

#include "engine/keys/key_list.h"

namespace tidemark::test {

/// A key list in memory: its keys one after the other.
class ListedKeys final : public KeyListReader {
 public:
  explicit ListedKeys(std::vector<Key> keys) : m_keys(std::move(keys)) {}
  bool next(Key& key) override {
    if (m_at == m_keys.size()) return false;
    key = m_keys[m_at++];
    return true;
  }

 private:
  std::vector<Key> m_keys;
  std::size_t m_at = 0;
};

}  // namespace tidemark::test
