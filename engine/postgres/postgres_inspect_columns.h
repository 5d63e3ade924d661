#pragma once

#include <string>
#include <vector>

#include "engine/monitor/finding.h"
#include "engine/postgres/connection.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

struct SinkColumn {
  std::string name;
  std::string base;      ///< Type without length or scale: "numeric".
  std::string declared;  ///< "numeric(12,2)".
  bool notNull = false;
  bool generated = false;  ///< Takes no value from outside.
  bool hasDefault = false;
  bool deterministic = true;  ///< Its collation tells all texts apart.
};

/// Columns of a sink table, from the answer of sql::kSinkColumns.
class SinkColumns {
 public:
  explicit SinkColumns(const Result& columns);
  const SinkColumn* find(const std::string& name) const;
  const std::vector<SinkColumn>& all() const { return m_columns; }

 private:
  std::vector<SinkColumn> m_columns;
};

/// What the guard needs of the columns: types, position, marker, payload that accepts NULL, columns of others.
std::vector<Finding> inspectColumns(const TableMapping& mapping, const SinkColumns& columns);

}  // namespace tidemark::postgres
