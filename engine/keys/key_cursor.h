#pragma once

#include <vector>

#include "engine/catalog/column_type.h"
#include "engine/keys/key_list.h"

namespace tidemark {

/// Answers, for keys asked in ascending order, whether a sorted key list holds them: one pass, constant memory.
class KeyCursor {
 public:
  KeyCursor(KeyListReader& list, std::vector<ColumnKind> kinds) : m_list(list), m_kinds(std::move(kinds)) { step(); }

  /// `key` must not be lower than the one asked before.
  bool contains(const Key& key) {
    while (m_more) {
      const std::strong_ordering order = compareKeys(m_kinds, m_key, key);
      if (order != std::strong_ordering::less) return order == std::strong_ordering::equal;
      step();
    }
    return false;
  }

  /// Reads the rest, so that the list's own check of count and digest takes place.
  void readToEnd() {
    while (m_more) step();
  }

 private:
  void step() { m_more = m_list.next(m_key); }

  KeyListReader& m_list;
  std::vector<ColumnKind> m_kinds;
  Key m_key;
  bool m_more = true;
};

}  // namespace tidemark
