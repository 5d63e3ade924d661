#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/catalog/column_type.h"

namespace tidemark::sqlite {

enum class Affinity { Integer, Text, Blob, Real, Numeric };

/// The affinity that SQLite derives from a declared type: what it does to a value on its way into the column.
Affinity affinityOf(std::string_view declared);

/// The kind that a declared type means, provided its affinity keeps the canonical text exactly; nothing for types that
/// this version does not know and for those that SQLite would keep as floating point ("NUMERIC", "DATE").
std::optional<ColumnType> columnType(std::string_view declared);

/// Throws Error "type.unsupported" that names column, type and the way out.
[[noreturn]] void refuseType(const std::string& table, const std::string& column, const std::string& declared);

/// What to declare for a kind: "BIGINT", "NUMERIC TEXT", "BYTEA BLOB".
std::string declaredType(ColumnKind kind);

/// True when a column of type `sink` keeps every value of the kind `source` exactly.
bool canHold(ColumnKind source, const ColumnType& sink);

}  // namespace tidemark::sqlite
