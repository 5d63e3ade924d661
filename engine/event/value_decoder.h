#pragma once

#include "engine/catalog/column_type.h"
#include "engine/event/event.h"
#include "engine/event/json_value.h"

namespace tidemark {

/// A column's value in canonical text. `schema` is the field's Connect schema and says how the value is encoded;
/// without it (null) the column's type does. `column` is for messages. Throws Error "event.type".
Cell decodeValue(const ColumnType& type, const std::string& column, const JsonValue& value, const JsonValue* schema,
                 const EventEncodings& encodings);

}  // namespace tidemark
