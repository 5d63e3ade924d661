#include "engine/postgres/catalogue.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/postgres/catalogue_sql.h"

namespace tidemark::postgres {

TableName withSchema(const TableName& table) {
  return {table.schema.empty() ? "public" : table.schema, table.name};
}

std::optional<CatalogueTable> findTable(Connection& connection, const TableName& table) {
  const TableName name = withSchema(table);
  const Result found = connection.exec(sql::kTable, {name.schema, name.name});
  if (found.empty()) return std::nullopt;
  CatalogueTable result;
  result.oid = found.text(0, 0);
  result.kind = found.text(0, 1).at(0);
  result.persistence = found.text(0, 2).at(0);
  result.replicaIdentity = found.text(0, 3).at(0);
  result.hasPrimaryKey = found.truth(0, 4);
  result.keyDeferrable = found.truth(0, 5);
  result.identityIsPrimaryKey = found.truth(0, 6);
  result.hasInheritedTables = found.truth(0, 7);
  const Result columns = connection.exec(sql::kColumns, {result.oid});
  for (std::size_t row = 0; row < columns.rows.size(); ++row)
    result.columns.push_back({columns.text(row, 0), columns.text(row, 1), !columns.truth(row, 2), columns.truth(row, 3),
                              columns.truth(row, 4)});
  const Result key = connection.exec(sql::kKeyColumns, {result.oid});
  for (std::size_t row = 0; row < key.rows.size(); ++row) result.key.push_back(key.text(row, 0));
  return result;
}

TableShape describeTable(Connection& connection, const TableName& table, const std::string& side) {
  const std::optional<CatalogueTable> found = findTable(connection, table);
  if (!found)
    throw Error(side + ".no_table", "there is no table " + withSchema(table).display() + " on " + connection.describe(),
                {"Check schema, name and database; names are written as the catalogue has them, usually lower case.",
                 {},
                 "42P01",
                 false,
                 false});
  if (found->kind != 'r' && found->kind != 'p')
    throw Error(side + ".not_a_table", withSchema(table).display() + " is not a table, so it has no key and no changes",
                {"Name the table that the view or foreign table reads.", "relkind " + std::string(1, found->kind),
                 "42809", false, false});
  TableShape shape;
  shape.name = withSchema(table);
  for (const CatalogueColumn& column : found->columns)
    shape.columns.push_back({column.name, columnTypeOf(column.declared, column.name), column.nullable});
  for (const std::string& keyColumn : found->key) {
    const auto at = std::find_if(found->columns.begin(), found->columns.end(),
                                 [&](const CatalogueColumn& column) { return column.name == keyColumn; });
    shape.key.push_back(static_cast<std::size_t>(at - found->columns.begin()));
  }
  return shape;
}

}  // namespace tidemark::postgres
