#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/catalog/column_type.h"
#include "engine/postgres/connection.h"

namespace tidemark::postgres {

/// A column as the catalogue has it, whether Tidemark carries its type or not.
struct CatalogueColumn {
  std::string name;
  std::string declared;  ///< As format_type() prints it.
  bool nullable = true;
  bool generated = false;     ///< GENERATED ALWAYS AS (…) STORED, or an identity that refuses values.
  bool equalsByBytes = true;  ///< False under a collation that takes different texts for equal.
};

/// What pg_class, pg_attribute and pg_index say of a table.
struct CatalogueTable {
  std::string oid;
  char kind = 'r';         ///< relkind: 'r' table, 'p' partitioned table, 'v' view, ….
  char persistence = 'p';  ///< relpersistence: 'p', 'u' unlogged, 't' temporary.
  char replicaIdentity = 'd';
  bool hasPrimaryKey = false;
  bool keyDeferrable = false;
  bool identityIsPrimaryKey = false;  ///< With replica identity 'i': the index named is the primary key.
  bool hasInheritedTables = false;    ///< Plain inheritance, where keys are not unique over all children.
  std::vector<CatalogueColumn> columns;
  std::vector<std::string> key;  ///< Column names of the primary key in key order.
};

/// Empty when there is no such table, or the role may not see it. An empty schema means "public".
std::optional<CatalogueTable> findTable(Connection& connection, const TableName& table);

/// The table's shape. `side` ("source" or "sink") begins the code of what is thrown: Error "source.no_table",
/// "source.not_a_table" (a view and the like), or "catalog.type" that names a column of a type that is not carried.
/// A table without a primary key has an empty `key`.
TableShape describeTable(Connection& connection, const TableName& table, const std::string& side);

/// The name as SQL finds it: an empty schema becomes "public".
TableName withSchema(const TableName& table);

}  // namespace tidemark::postgres
