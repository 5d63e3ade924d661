#include "engine/sqlite/sqlite_types.h"

#include <algorithm>
#include <cctype>

#include "engine/core/error.h"

namespace tidemark::sqlite {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// The only affinity that keeps the canonical text of a kind exactly.
Affinity exactAffinity(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::SmallInt:
    case ColumnKind::Integer:
    case ColumnKind::BigInt:
      return Affinity::Integer;
    case ColumnKind::Boolean:
      return Affinity::Numeric;
    case ColumnKind::Bytea:
      return Affinity::Blob;
    default:
      return Affinity::Text;
  }
}

/// What a declared type names, whatever its affinity: "NUMERIC TEXT(12,2)" and "NUMERIC(12,2)" both name a numeric.
/// Without quotes SQLite takes brackets behind the last word only.
std::optional<ColumnType> namedType(std::string_view declared) {
  std::string word = upper(declared);
  if (word == "BLOB") return ColumnType{ColumnKind::Bytea, std::string(declared), {}};
  for (const std::string_view suffix : {" TEXT", " BLOB"}) {
    const std::size_t at = word.rfind(suffix);
    if (at == std::string::npos || at == 0) continue;
    const std::size_t end = at + suffix.size();
    if (end == word.size() || word[end] == '(') word.erase(at, suffix.size());
  }
  try {
    ColumnType type = columnTypeOf(word);
    type.declared = std::string(declared);
    return type;
  } catch (const Error&) {
    return {};
  }
}

bool isInteger(ColumnKind kind) {
  return kind == ColumnKind::SmallInt || kind == ColumnKind::Integer || kind == ColumnKind::BigInt;
}

}  // namespace

Affinity affinityOf(std::string_view declared) {
  const std::string type = upper(declared);
  const auto has = [&](std::string_view word) { return type.find(word) != std::string::npos; };
  if (has("INT")) return Affinity::Integer;
  if (has("CHAR") || has("CLOB") || has("TEXT")) return Affinity::Text;
  if (type.empty() || has("BLOB")) return Affinity::Blob;
  if (has("REAL") || has("FLOA") || has("DOUB")) return Affinity::Real;
  return Affinity::Numeric;
}

std::optional<ColumnType> columnType(std::string_view declared) {
  std::optional<ColumnType> type = namedType(declared);
  if (type && exactAffinity(type->kind) != affinityOf(declared)) return {};
  return type;
}

void refuseType(const std::string& table, const std::string& column, const std::string& declared) {
  ErrorDetail detail;
  std::string reason;
  if (const std::optional<ColumnType> type = namedType(declared)) {
    reason = "would not keep every value exactly: SQLite turns what looks like a number into floating point";
    detail.hint = "Declare the column as " + declaredType(type->kind) + ".";
  } else if (affinityOf(declared) == Affinity::Real) {
    reason = "keeps floating point, which is not compared exactly";
    detail.hint = "Declare the column as NUMERIC TEXT, or leave it out.";
  } else {
    reason = "is not a type that this version loads";
    detail.hint = "Leave the column out, or declare one of the types that this version loads.";
  }
  throw Error(
      "type.unsupported",
      "column " + column + " of " + table + ": the type " + (declared.empty() ? "(none)" : declared) + " " + reason,
      detail);
}

std::string declaredType(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::SmallInt:
      return "SMALLINT";
    case ColumnKind::Integer:
      return "INTEGER";
    case ColumnKind::BigInt:
      return "BIGINT";
    case ColumnKind::Numeric:
      return "NUMERIC TEXT";
    case ColumnKind::Text:
      return "TEXT";
    case ColumnKind::Boolean:
      return "BOOLEAN";
    case ColumnKind::Date:
      return "DATE TEXT";
    case ColumnKind::Timestamp:
      return "TIMESTAMP TEXT";
    case ColumnKind::TimestampTz:
      return "TIMESTAMPTZ TEXT";
    case ColumnKind::Uuid:
      return "UUID TEXT";
    case ColumnKind::Json:
      return "JSON TEXT";
    case ColumnKind::Jsonb:
      return "JSONB TEXT";
    case ColumnKind::Bytea:
      return "BYTEA BLOB";
  }
  return "TEXT";
}

bool canHold(ColumnKind source, const ColumnType& sink) {
  if (isInteger(source)) return isInteger(sink.kind);
  if (source == ColumnKind::Boolean || source == ColumnKind::Bytea) return sink.kind == source;
  // Everything else is kept as its canonical text: any column with the affinity of text keeps it.
  return affinityOf(sink.declared) == Affinity::Text;
}

}  // namespace tidemark::sqlite
