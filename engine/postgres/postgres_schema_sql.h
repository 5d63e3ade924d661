#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/scope/table_mapping.h"

namespace tidemark::postgres {

/// SQL text of what the console keeps in the sink: the tidemark schema.

struct SchemaObject {
  std::string name;       ///< As to_regclass reads it; empty for the schema itself.
  std::string statement;  ///< Makes it when it is missing.
};
/// The schema first, then its tables. Keys are kept as arrays of canonical text, positions as arrays of bigint.
const std::vector<SchemaObject>& schemaObjects();

/// Orders rows by a stored key array as compareKeys does.
std::string storedKeyOrder(const TableMapping& mapping, const std::string& key);
/// `t."id" = (g.key[1])::bigint AND …`: joins a sink table `t` with a stored key array.
std::string keyEqualsStored(const TableMapping& mapping, const std::string& sinkAlias, const std::string& key);
/// A sink row's key as an array of canonical text.
std::string keyArray(const TableMapping& mapping, const std::string& sinkAlias);

namespace sql {

// $1 schema and $2 name of the sink table throughout.
extern const char* const kReadLineage;
extern const char* const kStoreLineage;  ///< $3 system, $4 timeline, $5 slot.
extern const char* const kReadLock;
extern const char* const kTakeLock;     ///< $3 run, $4 user, $5 host, $6 pid, $7 since, $8 backend.
extern const char* const kReleaseLock;  ///< $3 run.
extern const char* const kBreakLock;
extern const char* const kTryAdvisory;      ///< $1 schema, $2 name; true when this session has it now.
extern const char* const kReleaseAdvisory;  ///< $1 schema, $2 name.
extern const char* const kNoteKeys;         ///< $3 keys (array of array texts), $4 reason, $5 positions (likewise).
extern const char* const kClearKeys;        ///< $3 keys (array of array texts), $4 boundary.

}  // namespace sql

/// $1 schema, $2 name, $3 limit.
std::string readNotedKeys(const TableMapping& mapping);

}  // namespace tidemark::postgres
