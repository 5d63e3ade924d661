#pragma once

#include <string>

#include "engine/postgres/postgres_sql.h"

/// What the source side asks a PostgreSQL server. Nothing here writes.
namespace tidemark::postgres::sql {

/// "In recovery", and what identifies the server's life: it changes with a restart and with a crash of one backend,
/// after which the postmaster lives on with its old start time, but the statistics were thrown away.
inline constexpr const char* kServerLife = R"sql(
SELECT pg_is_in_recovery(),
       pg_postmaster_start_time()::text || ' ' ||
         coalesce((SELECT stats_reset::text FROM pg_catalog.pg_stat_bgwriter), ''),
       (SELECT system_identifier::text FROM pg_catalog.pg_control_system()),
       CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_catalog.pg_control_checkpoint())
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint END::text
)sql";

inline constexpr const char* kInsertPosition = "SELECT pg_current_wal_insert_lsn()";
inline constexpr const char* kFlushPosition = "SELECT pg_current_wal_flush_lsn()";
inline constexpr const char* kNewestPosition = R"sql(
SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END
)sql";

inline constexpr int kNamesWithoutTxid = 130000;  ///< First version with pg_current_xact_id and xid8.
inline constexpr const char* kTakeTransactionId = "SELECT pg_current_xact_id()::text";
inline constexpr const char* kOldestRunning = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text";
inline constexpr const char* kTakeTransactionIdOld = "SELECT txid_current()::text";
inline constexpr const char* kOldestRunningOld = "SELECT txid_snapshot_xmin(txid_current_snapshot())::text";

/// Everybody who owns a transaction id; the caller picks those at or below X. A role without pg_read_all_stats sees
/// the pid alone.
inline constexpr const char* kTransactions = R"sql(
SELECT coalesce(l.pid, 0), coalesce(p.gid, ''), coalesce(a.usename, p.owner, ''), coalesce(a.application_name, ''),
       l.transactionid::text,
       coalesce(extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, p.prepared)), 0)::bigint,
       coalesce(to_char(a.query_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''),
       coalesce(a.wait_event, '')
FROM pg_catalog.pg_locks l
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
LEFT JOIN pg_catalog.pg_prepared_xacts p ON l.pid IS NULL AND p.transaction = l.transactionid
WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
ORDER BY 6 DESC, 1
)sql";

/// $1 slot.
inline constexpr const char* kSlotRestart = R"sql(
SELECT coalesce(restart_lsn::text, '') FROM pg_catalog.pg_replication_slots WHERE slot_name = $1
)sql";

/// $1 slot. Columns that a version lacks come out empty.
inline constexpr const char* kSlotState = R"sql(
SELECT s.slot_type, s.active, coalesce(s.restart_lsn::text, ''), coalesce(s.confirmed_flush_lsn::text, ''),
       coalesce(to_jsonb(s) ->> 'wal_status', ''), coalesce(to_jsonb(s) ->> 'safe_wal_size', ''),
       coalesce(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
                                     ELSE pg_current_wal_insert_lsn() END, s.restart_lsn), -1)::bigint,
       coalesce(s.database = current_database(), false)
FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1
)sql";

/// wal_level, and the limit of what slots retain in bytes (-1 without a limit).
inline constexpr const char* kLogSettings = R"sql(
SELECT current_setting('wal_level'),
       coalesce((SELECT CASE WHEN setting = '-1' THEN -1 ELSE setting::bigint * 1024 * 1024 END
                 FROM pg_catalog.pg_settings WHERE name = 'max_slot_wal_keep_size'), -1)
)sql";

inline constexpr const char* kPreparedTransactions = R"sql(
SELECT gid, owner::text, database::text, extract(epoch FROM clock_timestamp() - prepared)::bigint
FROM pg_catalog.pg_prepared_xacts ORDER BY prepared
)sql";

inline constexpr const char* kOldestTransaction = R"sql(
SELECT pid, coalesce(usename, ''), coalesce(application_name, ''), coalesce(state, ''),
       extract(epoch FROM clock_timestamp() - xact_start)::bigint
FROM pg_catalog.pg_stat_activity
WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'
ORDER BY xact_start LIMIT 1
)sql";

/// $1 oid: would a policy hide rows, may the role read and lock, may it use the schema.
inline constexpr const char* kReadingRights = R"sql(
SELECT row_security_active(c.oid), has_table_privilege(c.oid, 'SELECT'),
       has_schema_privilege(c.relnamespace, 'USAGE'), current_user::text
FROM pg_catalog.pg_class c WHERE c.oid = $1::oid
)sql";

/// $1 oids of the table and its partitions: their written rows as the statistics have them, with the file that a
/// rewrite or a truncate would exchange.
inline constexpr const char* kChangeMark = R"sql(
SELECT string_agg(concat_ws(' ', t.oid, coalesce(s.n_tup_ins, 0), coalesce(s.n_tup_upd, 0), coalesce(s.n_tup_del, 0),
                            pg_relation_filenode(t.oid::regclass)), ', ' ORDER BY t.oid)
FROM unnest($1::oid[]) AS t (oid)
LEFT JOIN pg_catalog.pg_stat_all_tables s ON s.relid = t.oid
)sql";

/// $1 oid: the table and its partitions.
inline constexpr const char* kTableAndPartitions = R"sql(
SELECT $1::oid::text UNION SELECT relid::oid::text FROM pg_partition_tree($1::oid::regclass)
)sql";

/// Counters reach the statistics up to a minute after a transaction's end, but at the latest when its session ends.
/// $1 oids of the table and its partitions. Are they certain to be complete; does anybody hold a writer's lock.
inline constexpr const char* kCountersSettled = R"sql(
SELECT NOT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity a
                   WHERE a.pid <> pg_backend_pid() AND a.datname = current_database()
                     AND coalesce(a.backend_type, 'client backend') = 'client backend'
                     AND a.application_name IS DISTINCT FROM 'tidemark'
                     AND (a.state IS DISTINCT FROM 'idle' OR a.state_change > clock_timestamp() - interval '61 s')),
       EXISTS (SELECT 1 FROM pg_catalog.pg_locks l
               WHERE l.locktype = 'relation' AND l.relation = ANY ($1::oid[])
                 AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
                 AND l.mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
)sql";

/// $1 oid: the planner's row count of the table, its pages and its bytes with indexes, partitions included.
inline constexpr const char* kTableSize = R"sql(
SELECT greatest(coalesce(sum(c.reltuples), 0), 0)::bigint,
       (coalesce(sum(pg_relation_size(c.oid)), 0) / current_setting('block_size')::int)::bigint,
       coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
FROM pg_catalog.pg_class c
WHERE c.relkind <> 'p'
  AND c.oid IN (SELECT $1::oid UNION SELECT relid::oid FROM pg_partition_tree($1::oid::regclass))
)sql";

std::string lockTable(const TableMapping& mapping);
/// The load: every key of the range, the payload where the filter holds, and, with a filter, whether it does.
std::string loadQuery(const TableMapping& mapping, const Scope& scope);
/// Live rows of the scope in key order.
std::string rowsQuery(const TableMapping& mapping, const Scope& scope);
std::string copyOut(const std::string& query);
std::string countRange(const TableMapping& mapping, const KeyRange& range);
std::string countScope(const TableMapping& mapping, const Scope& scope);
/// Planner's estimate of the scope as JSON.
std::string explainScope(const TableMapping& mapping, const Scope& scope);
/// One array parameter a key column.
std::string readKeys(const TableMapping& mapping);
/// Every key that begins a new range of `rowsPerStep` sampled rows. `percent` of the pages are read; 100 reads all.
std::string splitKeys(const TableMapping& mapping, const KeyRange& range, double percent, std::uint64_t rowsPerStep);
/// Parses a filter without running it.
std::string prepareFilter(const TableMapping& mapping, const std::string& condition);
inline constexpr const char* kForgetFilter = "DEALLOCATE tidemark_filter";

}  // namespace tidemark::postgres::sql
