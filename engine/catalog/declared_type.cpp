#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "engine/catalog/column_type.h"
#include "engine/core/error.h"

namespace tidemark {

namespace {

struct KnownType {
  std::string_view name;
  ColumnKind kind;
};

constexpr std::array kKnownTypes{
    KnownType{"smallint", ColumnKind::SmallInt},
    KnownType{"int2", ColumnKind::SmallInt},
    KnownType{"integer", ColumnKind::Integer},
    KnownType{"int", ColumnKind::Integer},
    KnownType{"int4", ColumnKind::Integer},
    KnownType{"bigint", ColumnKind::BigInt},
    KnownType{"int8", ColumnKind::BigInt},
    KnownType{"numeric", ColumnKind::Numeric},
    KnownType{"decimal", ColumnKind::Numeric},
    KnownType{"text", ColumnKind::Text},
    KnownType{"character varying", ColumnKind::Text},
    KnownType{"varchar", ColumnKind::Text},
    KnownType{"boolean", ColumnKind::Boolean},
    KnownType{"bool", ColumnKind::Boolean},
    KnownType{"date", ColumnKind::Date},
    KnownType{"timestamp without time zone", ColumnKind::Timestamp},
    KnownType{"timestamp", ColumnKind::Timestamp},
    KnownType{"timestamp with time zone", ColumnKind::TimestampTz},
    KnownType{"timestamptz", ColumnKind::TimestampTz},
    KnownType{"uuid", ColumnKind::Uuid},
    KnownType{"json", ColumnKind::Json},
    KnownType{"jsonb", ColumnKind::Jsonb},
    KnownType{"bytea", ColumnKind::Bytea},
};

/// Lower case, single blanks, none at the ends.
std::string normalised(std::string_view declared) {
  std::string result;
  for (const char c : declared) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank && (result.empty() || result.back() == ' ')) continue;
    result.push_back(blank ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

/// "timestamp(3) with time zone" in two: the name without the figures, and the figures ("3"). The figures are empty
/// when there are none.
struct SplitType {
  std::string name;
  std::string modifier;
};

SplitType splitModifier(const std::string& text) {
  const auto open = text.find('(');
  const auto close = text.find(')', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {text, {}};
  return {normalised(text.substr(0, open) + " " + text.substr(close + 1)), text.substr(open + 1, close - open - 1)};
}

std::optional<int> readNumber(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// numeric(12) has scale 0, numeric(12,2) has 2, numeric has none.
std::optional<int> scaleOf(const std::string& modifier) {
  if (modifier.empty()) return std::nullopt;
  const auto comma = modifier.find(',');
  return comma == std::string::npos ? std::optional<int>(0) : readNumber(std::string_view(modifier).substr(comma + 1));
}

}  // namespace

ColumnType columnTypeOf(std::string_view declared, std::string_view column) {
  const SplitType split = splitModifier(normalised(declared));
  const auto known = std::find_if(kKnownTypes.begin(), kKnownTypes.end(),
                                  [&](const KnownType& type) { return type.name == split.name; });
  if (known == kKnownTypes.end()) {
    const std::string subject = column.empty() ? "Type " : "Column \"" + std::string(column) + "\": type ";
    throw Error("catalog.type", subject + std::string(declared) + " is not supported.",
                {.hint = "Supported are smallint, integer, bigint, numeric, text, varchar, boolean, date, timestamp, "
                         "timestamptz, uuid, json, jsonb and bytea. Leave the column out of the mapping, or use a "
                         "table without it."});
  }
  ColumnType type{.kind = known->kind, .declared = std::string(declared), .scale = {}};
  if (type.kind == ColumnKind::Numeric) type.scale = scaleOf(split.modifier);
  return type;
}

int secondsPrecision(const ColumnType& type) {
  return readNumber(splitModifier(normalised(type.declared)).modifier).value_or(6);
}

}  // namespace tidemark
