#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/simulator/database.h"

namespace tidemark {

/// One message of a change topic, as JSON texts without a schema wrapper. A tombstone's value is "null".
struct TopicMessage {
  std::string key;
  std::string value;
};

/// Longer notes are kept apart by the database, and an update that leaves one alone does not carry it in the log: the
/// connector then sends a placeholder (unchanged TOAST).
inline constexpr std::size_t kLongNote = 2000;

/// The change as a Debezium connector with default settings sends it: decimals as base64 of their unscaled digits,
/// times as ISO text, the rest of a delete's before image made up.
/// `lastCommit` is the last commit streamed before this transaction, empty when the connector does not know it.
TopicMessage envelope(const LoggedTransaction& transaction, const LogEntry& entry,
                      std::optional<std::int64_t> lastCommit);
/// What follows a delete.
TopicMessage tombstone(const LogEntry& entry);

}  // namespace tidemark
