#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

/// How a change's place in the source's log becomes a comparable tuple (law, rule 2).
enum class PositionScheme { Lsn, CommitLsn, Binlog, Scn };

/// Numbers of position columns that a scheme stores: 1 (lsn, binlog, scn) or 2 (commit-lsn).
constexpr int positionColumns(PositionScheme scheme) {
  return scheme == PositionScheme::CommitLsn ? 2 : 1;
}

std::string_view schemeName(PositionScheme scheme);  ///< As parseScheme reads it.
/// Reads "lsn", "commit-lsn", "binlog", "scn". Throws Error "profile.position_scheme".
PositionScheme parseScheme(std::string_view text);

/// A position without its lineage: numbers compared from left to right. Elements that a scheme does not use are 0.
/// The third element is the ordinal, for schemes where two changes of one key can share a position.
struct Position {
  std::array<std::int64_t, 3> element{0, 0, 0};

  friend constexpr auto operator<=>(const Position&, const Position&) = default;
  friend constexpr bool operator==(const Position&, const Position&) = default;
};

/// Stored for reads that nobody stamped: fills a missing key, protects nothing (law, rule 3).
inline constexpr Position kNoPosition{{-1, 0, 0}};

/// The log that positions belong to. Positions of two lineages are never compared (law, rule 2).
struct Lineage {
  std::string system;  ///< PostgreSQL system identifier, MySQL server UUID or GTID domain, simulator id.
  std::int64_t timeline = 0;
  std::string slot;  ///< Empty where no slot is used.

  std::string display() const;                  ///< "7444…/1/slot"
  static Lineage parse(std::string_view text);  ///< Reads what display() gives.
  friend bool operator==(const Lineage&, const Lineage&) = default;
};

/// Throws Error "lineage.differs" that names both and says what to do (fresh target, or re-key) unless they are equal.
void requireSameLineage(const Lineage& stored, const Lineage& incoming);

/// Compares positions of one lineage; refuses others as requireSameLineage does.
std::strong_ordering compare(const Lineage& a, const Position& pa, const Lineage& b, const Position& pb);

/// "16/B374D848" to a number and back (PostgreSQL pg_lsn: X/Y = X * 2^32 + Y). Throws Error "position.lsn".
std::int64_t parseLsn(std::string_view text);
std::string formatLsn(std::int64_t lsn);  ///< "16/B374D848".

/// Debezium's source.sequence: a JSON array inside a string, two numbers as text, the first may be null.
struct Sequence {
  std::optional<std::int64_t> lastCommit;
  std::int64_t lsn = 0;
};
/// Throws Error "position.sequence".
Sequence parseSequence(std::string_view text);

/// "mysql-bin.000042:1234" as one sortable number: file number * 2^40 + offset. Throws Error "position.binlog".
std::int64_t parseBinlog(std::string_view text);
std::string formatBinlog(std::int64_t position, std::string_view baseName);  ///< `baseName`: "mysql-bin".

/// For people, journals and reports: "0/28CC400" or "(0/28E30D0, 0/28CC400)".
std::string displayPosition(PositionScheme scheme, const Position& position);

/// Position of a change under `lsn` or `commit-lsn`; `c` is sequence[0].
Position changePosition(PositionScheme scheme, std::optional<std::int64_t> c, std::int64_t lsn);
/// Position of a read that this run did not ask for: -1 under `lsn`, (c, 0) under `commit-lsn`.
Position readPosition(PositionScheme scheme, std::optional<std::int64_t> c);
/// B for a boundary whose low mark is `low`: low - 1, or (low, low - 1) (law, rule 4).
Position boundaryPosition(PositionScheme scheme, std::int64_t low);

}  // namespace tidemark
