#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidemark {

/// One column's value in Tidemark's canonical text (engine/catalog/column_type.h says which), SQL NULL, or left out
/// by the event (unchanged TOAST): a left-out cell must never reach a sink column.
struct Cell {
  enum class State : std::uint8_t { Null, Present, LeftOut };

  State state = State::Null;
  std::string text;

  static Cell null() { return {}; }
  static Cell leftOut() { return {State::LeftOut, {}}; }
  static Cell of(std::string value) { return {State::Present, std::move(value)}; }

  bool isNull() const { return state == State::Null; }
  bool isLeftOut() const { return state == State::LeftOut; }
  bool isPresent() const { return state == State::Present; }
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// Payload cells in the order of TableMapping::payload.
using Row = std::vector<Cell>;
/// Key values in canonical text, in the order of the table's primary key. A key column is never NULL.
using Key = std::vector<std::string>;

}  // namespace tidemark
