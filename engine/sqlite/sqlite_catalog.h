#pragma once

#include <string>
#include <vector>

#include "engine/catalog/column_type.h"
#include "engine/scope/table_mapping.h"
#include "engine/sqlite/sqlite_connection.h"

namespace tidemark::sqlite {

/// A column as the catalogue has it, whatever its type.
struct CatalogColumn {
  std::string name;
  std::string declared;
  bool notNull = false;
  bool hasDefault = false;
  bool generated = false;
  int keyPlace = 0;  ///< From 1 in the primary key; 0 outside it.
};

struct CatalogIndex {
  std::string name;
  bool unique = false;
  bool ofPrimaryKey = false;
  bool partial = false;
  std::vector<std::string> columns;     ///< Empty name for an expression.
  std::vector<std::string> collations;  ///< One a column.
};

/// SQLite compares names without regard to ASCII case.
bool sameName(std::string_view a, std::string_view b);

/// Empty when there is no such table.
std::vector<CatalogColumn> columnsOf(Connection& connection, const TableName& table);
/// Every index, those of constraints included.
std::vector<CatalogIndex> indexesOf(Connection& connection, const TableName& table);
/// First column of the rows that a pragma-like query gives for the table's name.
std::vector<std::string> namesFrom(Connection& connection, const std::string& sql, const TableName& table);
/// The CREATE TABLE as the file keeps it; empty when there is no such table.
std::string createStatementOf(Connection& connection, const TableName& table);

/// Throws Error "sink.no_table" and "type.unsupported".
TableShape describeTable(Connection& connection, const TableName& table);
/// Throws Error "sink.no_table" or "sink.no_column": an unknown column in double quotes would silently be a text.
void requireColumns(Connection& connection, const TableMapping& mapping);
/// Throws Error "filter.does_not_parse".
void checkCondition(Connection& connection, const TableMapping& mapping, const std::string& condition);

}  // namespace tidemark::sqlite
