#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/event/change.h"
#include "engine/scope/table_mapping.h"

namespace tidemark {

enum class Operation { Create, Update, Delete, Read, Truncate, Message, Tombstone };

/// One message of a change topic, decoded.
struct Event {
  Operation operation = Operation::Create;
  std::string schema;                      ///< source.schema; empty for a tombstone.
  std::string table;                       ///< source.table.
  std::string snapshot;                    ///< source.snapshot; absent means "false".
  std::optional<std::int64_t> lsn;         ///< source.lsn; absent on incremental reads.
  std::optional<std::int64_t> lastCommit;  ///< sequence[0].
  std::optional<std::int64_t> transactionId;
  std::optional<std::int64_t> timestamp;  ///< source.ts_ms, milliseconds UTC. Never ordered on.
  std::optional<Change> change;           ///< For create, update, delete and read of the mapping's table.
};

/// How the connector writes bytes and decimals into strings. Only needed where a text can be read in two ways: "1234"
/// as numeric(4,0) without schema is a number or three bytes, "abcd" as bytea is hexadecimal or base64. Such a text is
/// refused until the setting says which, rather than guessed.
enum class DecimalStrings { Unknown, Plain, Base64 };
enum class BinaryStrings { Unknown, Base64, Base64Url, Hex };

struct EventEncodings {
  DecimalStrings decimals = DecimalStrings::Unknown;  ///< decimal.handling.mode: string is Plain, precise is Base64.
  BinaryStrings binaries = BinaryStrings::Unknown;    ///< binary.handling.mode: bytes is Base64.
  std::string placeholder = "__debezium_unavailable_value";  ///< unavailable.value.placeholder.
};

/// Decodes Debezium envelopes of one table, with or without the {"schema", "payload"} wrapper, into positioned
/// changes. Where a schema is present it says how a value is encoded; otherwise the mapping's column types do.
/// Numbers are taken as raw text: integers and decimals of any length stay exact. Immutable; any thread.
class EventDecoder {
 public:
  explicit EventDecoder(TableMapping mapping, EventEncodings encodings = {});

  /// `key` and `value` are JSON texts; value "null" is a tombstone. Throws Error "event.json", "event.missing_column",
  /// "event.type", "event.position", "event.key", "event.envelope" that names column and reason. Truncates and messages
  /// are decoded, not refused: what to do with them is the caller's decision. Only the key of a `before` image is ever
  /// used: with the default replica identity the rest of it is made up.
  Event decode(std::string_view key, std::string_view value) const;

 private:
  TableMapping m_mapping;
  EventEncodings m_encodings;
};

}  // namespace tidemark
