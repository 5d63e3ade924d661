#include "engine/scope/table_mapping.h"

namespace tidemark {

std::vector<ColumnKind> TableMapping::keyKinds() const {
  std::vector<ColumnKind> kinds;
  kinds.reserve(key.size());
  for (const ColumnPair& column : key) kinds.push_back(column.type.kind);
  return kinds;
}

}  // namespace tidemark
