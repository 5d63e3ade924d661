#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cell.h"

namespace tidemark {

/// The column types that this version loads, applies and verifies. Everything else is refused by name.
enum class ColumnKind {
  SmallInt,
  Integer,
  BigInt,       ///< decimal digits with an optional minus
  Numeric,      ///< exact decimal text as PostgreSQL prints it, any length; also NaN and Infinity
  Text,         ///< text and varchar, as it stands
  Boolean,      ///< "true" or "false"
  Date,         ///< YYYY-MM-DD
  Timestamp,    ///< YYYY-MM-DD HH:MM:SS[.ffffff], trailing zeros of the fraction dropped
  TimestampTz,  ///< the same in UTC, followed by +00
  Uuid,         ///< lower case, with hyphens
  Json,
  Jsonb,  ///< as the server prints it
  Bytea   ///< \x followed by lower-case hex digits
};

struct ColumnType {
  ColumnKind kind = ColumnKind::Text;
  std::string declared;      ///< The type as the catalogue prints it: "numeric(12,2)".
  std::optional<int> scale;  ///< Numeric with a fixed scale only.

  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};

struct Column {
  std::string name;
  ColumnType type;
  bool nullable = true;
};

/// A table's name in parts. `schema` is empty in SQLite. Never split or joined by callers: see display().
struct TableName {
  std::string schema;
  std::string name;

  /// For people and journals: "public.orders". Never for SQL.
  std::string display() const { return schema.empty() ? name : schema + "." + name; }
  /// Reads "schema.name" or "name"; a part may be double-quoted. Throws Error "profile.table_name".
  static TableName parse(std::string_view text);
  friend bool operator==(const TableName&, const TableName&) = default;
};

/// What the catalogue says of a table. `columns` leaves no column out; `key` holds indexes into it, in key order.
struct TableShape {
  TableName name;
  std::vector<Column> columns;
  std::vector<std::size_t> key;

  const Column* find(std::string_view column) const;
};

/// Reads a type as PostgreSQL's catalogue prints it ("numeric(12,2)", "character varying(20)", "timestamp with time
/// zone") or by its short name ("int4", "timestamptz"). Throws Error "catalog.type" that names the type, and the column
/// when one is given, for every type that this version does not carry.
ColumnType columnTypeOf(std::string_view declared, std::string_view column = {});

/// Digits of the fraction of seconds that a timestamp's declared type keeps: "timestamp(3) without time zone" keeps 3,
/// without a figure 6.
int secondsPrecision(const ColumnType& type);

/// The canonical name of a kind, for messages and journals: "bigint", "timestamptz".
std::string_view kindName(ColumnKind kind);

/// Orders two canonical key values as both engines of a comparison do: integers and numerics by value, everything
/// else bytewise (PostgreSQL COLLATE "C", SQLite BINARY). Throws Error for kinds that have no shared order (json).
std::strong_ordering compareValues(ColumnKind kind, std::string_view a, std::string_view b);
/// Lexicographic over the key columns; `kinds` has one entry a column.
std::strong_ordering compareKeys(const std::vector<ColumnKind>& kinds, const Key& a, const Key& b);

/// True when `a` and `b` are the same value of that kind although the text may differ: letter case of a uuid or of hex
/// digits, trailing zeros of a second's fraction, leading zeros or a plus of a number. Verification is exact where SQL
/// is not: numeric 1.0 and 1.00 are two values here, and json is compared as it stands.
bool sameValue(ColumnKind kind, const Cell& a, const Cell& b);

/// "1|a" for people and JSON; parts are escaped so that two keys never print alike.
std::string displayKey(const Key& key);

}  // namespace tidemark
