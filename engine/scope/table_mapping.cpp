#include "engine/scope/table_mapping.h"

#include "engine/core/error.h"

namespace tidemark {

std::vector<ColumnKind> TableMapping::keyKinds() const {
  std::vector<ColumnKind> kinds;
  kinds.reserve(key.size());
  for (const ColumnPair& column : key) kinds.push_back(column.type.kind);
  return kinds;
}

std::vector<PositionColumn> positionColumnsOf(const TableMapping& mapping) {
  const auto count = static_cast<std::size_t>(positionColumns(mapping.scheme));
  std::vector<PositionColumn> columns;
  for (std::size_t i = 0; i < count && i < mapping.positionColumns.size(); ++i) {
    columns.push_back({mapping.positionColumns[i], i});
  }
  if (columns.size() < count) {
    throw Error("profile.position_columns", "the position of " + mapping.sink.display() + " needs " +
                                                std::to_string(count) + " columns under the scheme " +
                                                std::string(schemeName(mapping.scheme)) + ", and the profile names " +
                                                std::to_string(columns.size()));
  }
  if (!mapping.ordinalColumn.empty()) {
    columns.push_back({mapping.ordinalColumn, 2});
  } else if (mapping.positionColumns.size() > count) {
    columns.push_back({mapping.positionColumns[count], 2});
  }
  return columns;
}

}  // namespace tidemark
