#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// SQL text that source and sink of this dialect share, so that both sides say the same. Every function is pure; all
/// names go through quoteIdentifier, and values that cannot be bound (COPY takes no parameters) through quoteLiteral.

enum class Side { Source, Sink };

/// The only place where a name becomes SQL. Throws Error "postgres.identifier" for an empty name or a zero byte.
std::string quoteIdentifier(std::string_view name);
/// The table's schema; an empty one means "public".
std::string schemaOf(const TableName& table);
/// Schema and table quoted apart; never split on a dot.
std::string quoteTable(const TableName& table);
/// A string literal that means the same whatever standard_conforming_strings says. Throws Error "postgres.literal"
/// for a zero byte.
std::string quoteLiteral(std::string_view value);

/// The mapping's table and column names of one side, quoted; `alias` is put before a column when it is not empty.
std::string tableOf(const TableMapping& mapping, Side side);
std::string columnOf(const ColumnPair& pair, Side side, std::string_view alias = {});

/// The server's name of a kind, without length or scale: what literals and parameters are cast to.
std::string_view castType(ColumnKind kind);
/// A column expression whose text output is Tidemark's canonical text (the session's settings do the rest).
std::string canonicalText(const std::string& expression, ColumnKind kind);
/// An expression that compares as compareValues does: text under COLLATE "C".
std::string comparable(const std::string& expression, ColumnKind kind);

/// `"a", "b" COLLATE "C"`: key order, for ORDER BY.
std::string keyOrder(const TableMapping& mapping, Side side, std::string_view alias = {});
/// The range as one condition; "TRUE" when both ends are open.
std::string rangeCondition(const TableMapping& mapping, Side side, const KeyRange& range, std::string_view alias = {});
/// Range and the side's filter, each in parentheses.
std::string scopeCondition(const TableMapping& mapping, Side side, const Scope& scope);

/// Reads the text of a bigint array in the order of positionColumnsOf.
Position positionFromArray(const TableMapping& mapping, std::string_view text);

/// The name of the server's digest; offered by both sides from PostgreSQL 14 on.
inline constexpr std::string_view kRecordDigest = "postgresql:hash_record_extended";
/// Hash of one row's key and payload: equal on two sides exactly when their canonical content is. Types that the
/// server does not hash, or whose equality is looser than their text (numeric without a scale, json), go as text.
std::string rowHash(const TableMapping& mapping, Side side);
/// One row of text: count, sum modulo 2^64 (unsigned); on the sink also the highest stored position as an array of
/// bigint, markers included, or NULL.
std::string digestQuery(const TableMapping& mapping, Side side, const Scope& scope);

}  // namespace tidemark::postgres
