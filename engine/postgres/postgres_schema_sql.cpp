#include "engine/postgres/postgres_schema_sql.h"

#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

const std::vector<SchemaObject>& schemaObjects() {
  static const std::vector<SchemaObject> objects{{"", "CREATE SCHEMA tidemark"},
                                                 {"tidemark.table_lock", R"(CREATE TABLE tidemark.table_lock (
  sink_schema text NOT NULL,
  sink_table text NOT NULL,
  run_id text NOT NULL,
  holder_user text NOT NULL,
  host text NOT NULL,
  pid bigint NOT NULL,
  since text NOT NULL,
  backend_pid integer NOT NULL,
  PRIMARY KEY (sink_schema, sink_table)
))"},
                                                 {"tidemark.lineage", R"(CREATE TABLE tidemark.lineage (
  sink_schema text NOT NULL,
  sink_table text NOT NULL,
  system text NOT NULL,
  timeline bigint NOT NULL,
  slot text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (sink_schema, sink_table)
))"},
                                                 {"tidemark.reread", R"(CREATE TABLE tidemark.reread (
  sink_schema text NOT NULL,
  sink_table text NOT NULL,
  key text[] NOT NULL,
  reason text NOT NULL,
  position bigint[] NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (sink_schema, sink_table, key)
))"},
                                                 {"tidemark.sweep_preview", R"(CREATE TABLE tidemark.sweep_preview (
  run_id text NOT NULL,
  sink_schema text NOT NULL,
  sink_table text NOT NULL,
  segment text NOT NULL,
  boundary bigint[] NOT NULL,
  ghosts bigint NOT NULL,
  live_in_scope bigint NOT NULL,
  previewed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, sink_schema, sink_table, segment)
))"},
                                                 {"tidemark.ghost", R"(CREATE TABLE tidemark.ghost (
  run_id text NOT NULL,
  sink_schema text NOT NULL,
  sink_table text NOT NULL,
  segment text NOT NULL,
  key text[] NOT NULL,
  PRIMARY KEY (run_id, sink_schema, sink_table, segment, key)
))"},
                                                 {"tidemark.before_image", R"(CREATE TABLE tidemark.before_image (
  run_id text NOT NULL,
  sink_schema text NOT NULL,
  sink_table text NOT NULL,
  key text[] NOT NULL,
  columns text[] NOT NULL,
  payload text[] NOT NULL,
  position bigint[] NOT NULL,
  boundary bigint[] NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, sink_schema, sink_table, key)
))"}};
  return objects;
}

namespace {

std::string storedPart(const TableMapping& mapping, std::size_t index, const std::string& key) {
  return "(" + key + "[" + std::to_string(index + 1) + "])::" + std::string(castType(mapping.key[index].type.kind));
}

}  // namespace

std::string storedKeyOrder(const TableMapping& mapping, const std::string& key) {
  std::string order;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    order += (i > 0 ? ", " : "") + comparable(storedPart(mapping, i, key), mapping.key[i].type.kind);
  }
  return order;
}

std::string keyEqualsStored(const TableMapping& mapping, const std::string& sinkAlias, const std::string& key) {
  std::string condition;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    condition +=
        (i > 0 ? " AND " : "") + columnOf(mapping.key[i], Side::Sink, sinkAlias) + " = " + storedPart(mapping, i, key);
  }
  return condition;
}

std::string keyArray(const TableMapping& mapping, const std::string& sinkAlias) {
  std::string list = "ARRAY[";
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    list += (i > 0 ? ", " : "") + columnOf(mapping.key[i], Side::Sink, sinkAlias) + "::text";
  }
  return list + "]";
}

namespace sql {

const char* const kReadLineage =
    "SELECT system, timeline, slot FROM tidemark.lineage WHERE sink_schema = $1 AND sink_table = $2";

const char* const kStoreLineage = R"(INSERT INTO tidemark.lineage (sink_schema, sink_table, system, timeline, slot)
VALUES ($1, $2, $3, $4::bigint, $5)
ON CONFLICT (sink_schema, sink_table) DO UPDATE
SET system = EXCLUDED.system, timeline = EXCLUDED.timeline, slot = EXCLUDED.slot, stored_at = now())";

const char* const kReadLock = R"(SELECT run_id, holder_user, host, pid, since FROM tidemark.table_lock
WHERE sink_schema = $1 AND sink_table = $2)";

const char* const kTakeLock = R"(INSERT INTO tidemark.table_lock
  (sink_schema, sink_table, run_id, holder_user, host, pid, since, backend_pid)
VALUES ($1, $2, $3, $4, $5, $6::bigint, $7, $8::integer)
ON CONFLICT (sink_schema, sink_table) DO UPDATE
SET holder_user = EXCLUDED.holder_user, host = EXCLUDED.host, pid = EXCLUDED.pid, since = EXCLUDED.since,
  backend_pid = EXCLUDED.backend_pid
WHERE table_lock.run_id = EXCLUDED.run_id)";

const char* const kReleaseLock =
    "DELETE FROM tidemark.table_lock WHERE sink_schema = $1 AND sink_table = $2 AND run_id = $3";

const char* const kBreakLock = "DELETE FROM tidemark.table_lock WHERE sink_schema = $1 AND sink_table = $2";

const char* const kTryAdvisory =
    "SELECT pg_try_advisory_lock(hashtextextended('tidemark lock ' || quote_ident($1) || '.' || quote_ident($2), 0))";

const char* const kReleaseAdvisory =
    "SELECT pg_advisory_unlock(hashtextextended('tidemark lock ' || quote_ident($1) || '.' || quote_ident($2), 0))";

// A key stays noted for the highest position that it was noted for.
const char* const kNoteKeys = R"(INSERT INTO tidemark.reread AS noted (sink_schema, sink_table, key, reason, position)
SELECT $1, $2, key::text[], $4, position::bigint[]
FROM unnest($3::text[], $5::text[]) AS incoming (key, position)
ON CONFLICT (sink_schema, sink_table, key) DO UPDATE
SET reason = EXCLUDED.reason, position = EXCLUDED.position, noted_at = now()
WHERE noted.position < EXCLUDED.position)";

// A read at a boundary has seen every change up to it: what it has not seen lies strictly above.
const char* const kClearKeys = R"(DELETE FROM tidemark.reread AS noted
USING unnest($3::text[]) AS cleared
WHERE noted.sink_schema = $1 AND noted.sink_table = $2 AND noted.key = cleared::text[]
  AND noted.position <= $4::bigint[])";

}  // namespace sql

std::string readNotedKeys(const TableMapping& mapping) {
  return "SELECT key FROM tidemark.reread WHERE sink_schema = $1 AND sink_table = $2 ORDER BY " +
         storedKeyOrder(mapping, "key") + " LIMIT $3::bigint";
}

}  // namespace tidemark::postgres
