#include "engine/position/position.h"

#include <algorithm>

#include "engine/core/error.h"

namespace tidemark {

std::string_view schemeName(PositionScheme scheme) {
  switch (scheme) {
    case PositionScheme::Lsn:
      return "lsn";
    case PositionScheme::CommitLsn:
      return "commit-lsn";
    case PositionScheme::Binlog:
      return "binlog";
    case PositionScheme::Scn:
      return "scn";
  }
  return "unknown";
}

PositionScheme parseScheme(std::string_view text) {
  for (const auto scheme :
       {PositionScheme::Lsn, PositionScheme::CommitLsn, PositionScheme::Binlog, PositionScheme::Scn})
    if (schemeName(scheme) == text) return scheme;
  throw Error("profile.position_scheme", "\"" + std::string(text) + "\" is no position scheme.",
              {.hint = "Write lsn, commit-lsn, binlog or scn."});
}

std::string displayPosition(PositionScheme scheme, const Position& position) {
  if (position == kNoPosition) return "none";
  const std::string ordinal = position.element[2] == 0 ? "" : "#" + std::to_string(position.element[2]);
  switch (scheme) {
    case PositionScheme::Lsn:
      return formatLsn(position.element[0]) + ordinal;
    case PositionScheme::CommitLsn:
      return "(" + formatLsn(position.element[0]) + ", " + formatLsn(position.element[1]) + ")" + ordinal;
    case PositionScheme::Binlog:
      return formatBinlog(position.element[0], "") + ordinal;
    case PositionScheme::Scn:
      return std::to_string(position.element[0]) + ordinal;
  }
  return {};
}

Position changePosition(PositionScheme scheme, std::optional<std::int64_t> c, std::int64_t lsn) {
  // The commit streamed before lies below this transaction's own commit, and so does each of its changes: the greater
  // of the two is in stream order. A missing first element takes nothing away from that.
  if (scheme == PositionScheme::CommitLsn) return {{c ? std::max(*c, lsn) : lsn, lsn, 0}};
  return {{lsn, 0, 0}};
}

Position readPosition(PositionScheme scheme, std::optional<std::int64_t> c) {
  if (scheme == PositionScheme::CommitLsn) return {{c.value_or(0), 0, 0}};
  return kNoPosition;
}

Position boundaryPosition(PositionScheme scheme, std::int64_t low) {
  if (scheme == PositionScheme::CommitLsn) return {{low, low - 1, 0}};
  return {{low - 1, 0, 0}};
}

}  // namespace tidemark
