#pragma once

#include <optional>
#include <string>

#include "engine/core/cell.h"

namespace tidemark {

struct KeyBound {
  Key key;
  bool inclusive = true;
  friend bool operator==(const KeyBound&, const KeyBound&) = default;
};

/// A range of keys in key order. A missing bound is open. Text parts compare bytewise (COLLATE "C") on both sides.
struct KeyRange {
  std::optional<KeyBound> from;
  std::optional<KeyBound> to;
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// What a run covers. One object builds the signal, the load, the key list, the sweep and the verification.
struct Scope {
  KeyRange range;
  std::string filter;      ///< SQL condition on the source's columns; empty = all rows.
  std::string sinkFilter;  ///< The same condition for the sink; empty where the engines could differ or there is none.

  bool filtered() const { return !filter.empty(); }
  friend bool operator==(const Scope&, const Scope&) = default;
};

}  // namespace tidemark
