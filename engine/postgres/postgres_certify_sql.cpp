#include "engine/postgres/postgres_certify_sql.h"

namespace tidemark::postgres {

const char* const kCreateDeliveries = R"(CREATE TEMPORARY TABLE tidemark_deliveries (
  arrival bigint, world bigint, id bigint, deleted boolean, value text, position bigint, ts_ms bigint
) ON COMMIT DELETE ROWS)";
const char* const kCopyDeliveries = "COPY pg_temp.tidemark_deliveries FROM STDIN";

const char* const kListScratchTables = R"(SELECT n.nspname, c.relname
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname IN ('tidemark', 'tidemark_scratch') AND c.relkind = 'r' AND c.relname LIKE 'certify\_%'
ORDER BY 1, 2)";

const char* const kTryScratchLock = "SELECT pg_try_advisory_lock(hashtextextended('tidemark certify ' || $1, 0))";
const char* const kReleaseScratchLock = "SELECT pg_advisory_unlock(hashtextextended('tidemark certify ' || $1, 0))";

const char* const kScratchSchema = R"(SELECT CASE
  WHEN has_schema_privilege(to_regnamespace('tidemark')::oid, 'CREATE') THEN 'tidemark'
  WHEN has_schema_privilege(to_regnamespace('tidemark_scratch')::oid, 'CREATE') THEN 'tidemark_scratch'
  WHEN has_database_privilege(current_database(), 'CREATE') THEN 'tidemark_scratch'
END)";

std::string createScratchTable(const std::string& table) {
  return "CREATE TABLE " + table +
         " (\n  world bigint NOT NULL,\n  id bigint NOT NULL,\n  value text,\n  position bigint NOT NULL,\n"
         "  deleted boolean NOT NULL,\n  ts_ms bigint,\n  PRIMARY KEY (world, id)\n)";
}

std::string readScratchTable(const std::string& table) {
  return "COPY (SELECT world, id, value, deleted, position FROM " + table + " ORDER BY world, id) TO STDOUT";
}

namespace {

/// One row a key in the given order, written over what is there where `guard` holds.
std::string upsert(const std::string& table, const std::string& wanted, const std::string& order,
                   const std::string& guard) {
  return "INSERT INTO " + table +
         " AS stored (world, id, value, position, deleted, ts_ms)\n"
         "SELECT DISTINCT ON (world, id) world, id, value, position, deleted, ts_ms\n"
         "FROM pg_temp.tidemark_deliveries\nWHERE " +
         wanted + "\nORDER BY world, id, " + order +
         "\nON CONFLICT (world, id) DO UPDATE\nSET value = EXCLUDED.value, position = EXCLUDED.position, "
         "deleted = EXCLUDED.deleted, ts_ms = EXCLUDED.ts_ms\nWHERE " +
         guard;
}

std::string deleteRows(const std::string& table) {
  return "DELETE FROM " + table +
         " AS stored\nUSING (SELECT world, id, max(position) AS position FROM pg_temp.tidemark_deliveries\n"
         "  WHERE deleted GROUP BY world, id) AS gone\n"
         "WHERE stored.world = gone.world AND stored.id = gone.id AND stored.position < gone.position";
}

}  // namespace

std::string applyBrokenly(CertifiedSink rule, const std::string& table) {
  switch (rule) {
    case CertifiedSink::NoGuard:
      return upsert(table, "TRUE", "arrival DESC", "TRUE");
    case CertifiedSink::NewestTimestamp:
      return upsert(table, "TRUE", "ts_ms DESC, arrival DESC", "stored.ts_ms <= EXCLUDED.ts_ms");
    case CertifiedSink::NewestTimestampStrict:
      return upsert(table, "TRUE", "ts_ms DESC, arrival DESC", "stored.ts_ms < EXCLUDED.ts_ms");
    case CertifiedSink::PhysicalDelete:
      return deleteRows(table) + ";\n" +
             upsert(table, "NOT deleted", "position DESC, arrival", "stored.position < EXCLUDED.position");
    case CertifiedSink::Guarded:
      break;
  }
  return {};
}

}  // namespace tidemark::postgres
