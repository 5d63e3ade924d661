#include <charconv>

#include "engine/core/error.h"
#include "engine/position/position.h"

namespace tidemark {

std::string Lineage::display() const {
  return system + "/" + std::to_string(timeline) + "/" + slot;
}

Lineage Lineage::parse(std::string_view text) {
  // Read from the right: a slot's name and a timeline never hold a slash, a foreign system's name may.
  const auto refuse = [&] {
    throw Error(
        "lineage.text", "\"" + std::string(text) + "\" is no lineage.",
        {.hint = "A lineage reads system/timeline/slot, for example 7444321098765432100/1/orders_slot; the slot "
                 "may be empty."});
  };
  const auto second = text.rfind('/');
  if (second == std::string_view::npos || second == 0) refuse();
  const auto first = text.rfind('/', second - 1);
  if (first == std::string_view::npos || first == 0) refuse();
  Lineage lineage;
  lineage.system = text.substr(0, first);
  lineage.slot = text.substr(second + 1);
  const std::string_view timeline = text.substr(first + 1, second - first - 1);
  const auto read = std::from_chars(timeline.data(), timeline.data() + timeline.size(), lineage.timeline);
  if (read.ec != std::errc{} || read.ptr != timeline.data() + timeline.size()) refuse();
  return lineage;
}

void requireSameLineage(const Lineage& stored, const Lineage& incoming) {
  if (stored == incoming) return;
  const std::string part = stored.system != incoming.system       ? "another source system"
                           : stored.timeline != incoming.timeline ? "another timeline of the same source"
                                                                  : "another slot of the same source";
  throw Error("lineage.differs",
              "Stored positions are of lineage " + stored.display() + ", incoming ones of " + incoming.display() +
                  " (" + part + "): they cannot be compared.",
              {.hint = "Load into a fresh target table, or re-key this one: give every row a position of the new "
                       "lineage with a full load at its boundary."});
}

std::strong_ordering compare(const Lineage& a, const Position& pa, const Lineage& b, const Position& pb) {
  requireSameLineage(a, b);
  return pa <=> pb;
}

}  // namespace tidemark
