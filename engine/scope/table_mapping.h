#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/catalog/column_type.h"
#include "engine/position/position.h"

namespace tidemark {

struct ColumnPair {
  std::string source;
  std::string sink;
  ColumnType type;  ///< The source's type: canonical text is made and compared by it.
};

/// How one source table lies in one sink table. Built from the profile and both catalogues, then never retyped.
struct TableMapping {
  TableName source;
  TableName sink;
  std::vector<ColumnPair> key;      ///< In the order of the source's primary key.
  std::vector<ColumnPair> payload;  ///< Every other column that travels; order of Row.
  PositionScheme scheme = PositionScheme::Lsn;
  std::vector<std::string> positionColumns;    ///< One or two names, by scheme; then the ordinal's, if any.
  std::string ordinalColumn;                   ///< Empty when the scheme needs none.
  std::string markerColumn;                    ///< Boolean; true = deleted.
  std::map<std::string, std::string> fillers;  ///< Sink column -> canonical text written where a marker has no payload.

  /// The kinds of the key's columns, in key order.
  std::vector<ColumnKind> keyKinds() const;
};

/// A sink column that holds one element of Position::element.
struct PositionColumn {
  std::string name;  ///< Not quoted.
  std::size_t element = 0;
};
/// The position's columns in comparing order, the ordinal's last. Throws Error "profile.position_columns" when the
/// mapping names fewer than its scheme has.
std::vector<PositionColumn> positionColumnsOf(const TableMapping& mapping);

}  // namespace tidemark
