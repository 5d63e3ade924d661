#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tidemark::test {

struct DecodedColumn {
  enum class State { Null, Value, LeftOut };
  std::string name;
  std::string type;
  State state = State::Null;
  std::string text;
};

/// One line of the plug-in test_decoding that stands for a change of a table.
struct DecodedChange {
  enum class Kind { Insert, Update, Delete, Truncate };
  Kind kind = Kind::Insert;
  std::string schema;
  std::string table;
  std::vector<DecodedColumn> oldKey;  ///< Update that changed the replica identity, or delete.
  std::vector<DecodedColumn> columns;
};

/// Reads "table public.orders: UPDATE: id[bigint]:1 …". Throws std::runtime_error for what it cannot read.
DecodedChange parseDecodedChange(const std::string& line);

/// The column's value as JSON in the way of the connector (see logical_stream.h).
std::string jsonValue(const DecodedColumn& column);
std::string jsonText(const std::string& text);

}  // namespace tidemark::test
