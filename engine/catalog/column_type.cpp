#include "engine/catalog/column_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "engine/core/error.h"

namespace tidemark {

namespace {

[[noreturn]] void refuseTableName(std::string_view text, const std::string& reason) {
  throw Error("profile.table_name", "\"" + std::string(text) + "\" is no table name: " + reason,
              {.hint = "Write schema.table or table; put a part into double quotes when it holds dots or capitals."});
}

/// Reads one part of a name from the front of `rest`, quoted or bare, and takes it off.
std::string takeNamePart(std::string_view whole, std::string_view& rest) {
  std::string part;
  if (rest.empty() || rest.front() != '"') {
    const auto end = std::min(rest.find('.'), rest.size());
    part = rest.substr(0, end);
    rest.remove_prefix(end);
    if (part.find('"') != std::string::npos) refuseTableName(whole, "a quote stands in the middle of a part.");
  } else {
    std::size_t at = 1;
    while (true) {
      const auto quote = rest.find('"', at);
      if (quote == std::string_view::npos) refuseTableName(whole, "a quoted part has no end.");
      part.append(rest.substr(at, quote - at));
      at = quote + 1;
      if (at >= rest.size() || rest[at] != '"') break;
      part.push_back('"');
      ++at;
    }
    rest.remove_prefix(at);
  }
  if (part.empty()) refuseTableName(whole, "a part is empty.");
  return part;
}

/// A number's parts without leading zeros, for comparing decimals of any length.
struct Decimal {
  int special = 0;  ///< -1 -Infinity, 1 Infinity, 2 NaN (PostgreSQL sorts it above all), 0 a plain number.
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;  ///< As written, trailing zeros included.
};

Decimal splitDecimal(std::string_view text) {
  Decimal parts;
  if (text == "NaN") return {.special = 2, .negative = false, .whole = {}, .fraction = {}};
  if (text == "Infinity") return {.special = 1, .negative = false, .whole = {}, .fraction = {}};
  if (text == "-Infinity") return {.special = -1, .negative = true, .whole = {}, .fraction = {}};
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const auto point = text.find('.');
  parts.whole = text.substr(0, point);
  if (point != std::string_view::npos) parts.fraction = text.substr(point + 1);
  parts.whole.remove_prefix(std::min(parts.whole.find_first_not_of('0'), parts.whole.size()));
  return parts;
}

std::string_view withoutTrailingZeros(std::string_view digits) {
  const auto last = digits.find_last_not_of('0');
  return last == std::string_view::npos ? std::string_view{} : digits.substr(0, last + 1);
}

bool isZero(const Decimal& number) {
  return number.special == 0 && number.whole.empty() && withoutTrailingZeros(number.fraction).empty();
}

std::strong_ordering compareDecimals(std::string_view a, std::string_view b) {
  const Decimal x = splitDecimal(a);
  const Decimal y = splitDecimal(b);
  if (x.special != 0 || y.special != 0) return x.special <=> y.special;
  const bool xNegative = x.negative && !isZero(x);
  const bool yNegative = y.negative && !isZero(y);
  if (xNegative != yNegative) return xNegative ? std::strong_ordering::less : std::strong_ordering::greater;
  auto magnitude = x.whole.size() <=> y.whole.size();
  if (magnitude == 0) magnitude = x.whole.compare(y.whole) <=> 0;
  if (magnitude == 0) magnitude = withoutTrailingZeros(x.fraction).compare(withoutTrailingZeros(y.fraction)) <=> 0;
  return xNegative ? 0 <=> magnitude : magnitude;
}

/// Both fit into 64 bits in nearly every table: worth the short way.
std::strong_ordering compareIntegers(std::string_view a, std::string_view b) {
  std::int64_t x = 0;
  std::int64_t y = 0;
  const auto readX = std::from_chars(a.data(), a.data() + a.size(), x);
  const auto readY = std::from_chars(b.data(), b.data() + b.size(), y);
  if (readX.ec == std::errc{} && readX.ptr == a.data() + a.size() && readY.ec == std::errc{} &&
      readY.ptr == b.data() + b.size())
    return x <=> y;
  return compareDecimals(a, b);
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// "12:00:00.500+00" and "12:00:00.5+00" are one moment.
std::string withoutIdleFraction(std::string_view text) {
  const auto point = text.find('.');
  if (point == std::string_view::npos) return std::string(text);
  const auto end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  const auto fraction = withoutTrailingZeros(text.substr(point + 1, end - point - 1));
  std::string result(text.substr(0, point));
  if (!fraction.empty()) result.append(".").append(fraction);
  return result.append(text.substr(end));
}

bool sameNumber(std::string_view a, std::string_view b) {
  const Decimal x = splitDecimal(a);
  const Decimal y = splitDecimal(b);
  if (x.special != y.special || x.whole != y.whole || x.fraction != y.fraction) return false;
  return x.negative == y.negative || isZero(x);
}

}  // namespace

TableName TableName::parse(std::string_view text) {
  std::string_view rest = text;
  TableName table;
  table.name = takeNamePart(text, rest);
  if (!rest.empty()) {
    if (rest.front() != '.') refuseTableName(text, "something stands behind a closing quote.");
    rest.remove_prefix(1);
    table.schema = std::move(table.name);
    table.name = takeNamePart(text, rest);
  }
  if (!rest.empty()) refuseTableName(text, "it has more than two parts.");
  return table;
}

const Column* TableShape::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

std::string_view kindName(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::SmallInt:
      return "smallint";
    case ColumnKind::Integer:
      return "integer";
    case ColumnKind::BigInt:
      return "bigint";
    case ColumnKind::Numeric:
      return "numeric";
    case ColumnKind::Text:
      return "text";
    case ColumnKind::Boolean:
      return "boolean";
    case ColumnKind::Date:
      return "date";
    case ColumnKind::Timestamp:
      return "timestamp";
    case ColumnKind::TimestampTz:
      return "timestamptz";
    case ColumnKind::Uuid:
      return "uuid";
    case ColumnKind::Json:
      return "json";
    case ColumnKind::Jsonb:
      return "jsonb";
    case ColumnKind::Bytea:
      return "bytea";
  }
  return "unknown";
}

std::strong_ordering compareValues(ColumnKind kind, std::string_view a, std::string_view b) {
  switch (kind) {
    case ColumnKind::SmallInt:
    case ColumnKind::Integer:
    case ColumnKind::BigInt:
      return compareIntegers(a, b);
    case ColumnKind::Numeric:
      return compareDecimals(a, b);
    case ColumnKind::Json:
    case ColumnKind::Jsonb:
      throw Error("catalog.no_order", "Values of type " + std::string(kindName(kind)) + " have no shared order.",
                  {.hint = "Use a key of another type: json cannot be a key column."});
    default:
      return a.compare(b) <=> 0;
  }
}

std::strong_ordering compareKeys(const std::vector<ColumnKind>& kinds, const Key& a, const Key& b) {
  if (a.size() != kinds.size() || b.size() != kinds.size())
    throw Error("catalog.key_width", "Key " + displayKey(a.size() != kinds.size() ? a : b) + " does not have " +
                                         std::to_string(kinds.size()) + " columns.");
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto order = compareValues(kinds[i], a[i], b[i]);
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

bool sameValue(ColumnKind kind, const Cell& a, const Cell& b) {
  if (a.state != b.state) return false;
  if (!a.isPresent() || a.text == b.text) return true;
  switch (kind) {
    case ColumnKind::SmallInt:
    case ColumnKind::Integer:
    case ColumnKind::BigInt:
    case ColumnKind::Numeric:
      return sameNumber(a.text, b.text);
    case ColumnKind::Timestamp:
    case ColumnKind::TimestampTz:
      return withoutIdleFraction(a.text) == withoutIdleFraction(b.text);
    case ColumnKind::Uuid:
    case ColumnKind::Bytea:
    case ColumnKind::Boolean:
      return lowered(a.text) == lowered(b.text);
    default:
      return false;
  }
}

std::string displayKey(const Key& key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (i > 0) text.push_back('|');
    for (const char c : key[i]) {
      if (c == '\\' || c == '|') text.push_back('\\');
      text.push_back(c);
    }
  }
  return text;
}

}  // namespace tidemark
