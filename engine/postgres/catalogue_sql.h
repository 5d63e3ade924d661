#pragma once

/// Questions to the catalogue of a PostgreSQL server, the same for source and sink.
namespace tidemark::postgres::sql {

/// $1 schema, $2 table.
inline constexpr const char* kTable = R"sql(
SELECT c.oid::text, c.relkind::text, c.relpersistence::text, c.relreplident::text,
       k.indexrelid IS NOT NULL,
       k.indexrelid IS NOT NULL AND NOT k.indimmediate,
       coalesce(k.indisreplident, false),
       c.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_index k ON k.indrelid = c.oid AND k.indisprimary
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
)sql";

/// $1 oid of the table.
inline constexpr const char* kColumns = R"sql(
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
       a.attgenerated <> '' OR a.attidentity = 'a',
       coalesce(c.collisdeterministic, true)
FROM pg_catalog.pg_attribute a
LEFT JOIN pg_catalog.pg_collation c ON c.oid = a.attcollation
WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
)sql";

/// $1 oid of the table. INCLUDE columns are no part of the key.
inline constexpr const char* kKeyColumns = R"sql(
SELECT a.attname
FROM pg_catalog.pg_index k
CROSS JOIN LATERAL unnest(k.indkey::smallint[]) WITH ORDINALITY AS part(attnum, place)
JOIN pg_catalog.pg_attribute a ON a.attrelid = k.indrelid AND a.attnum = part.attnum
WHERE k.indrelid = $1::oid AND k.indisprimary AND part.place <= k.indnkeyatts
ORDER BY part.place
)sql";

}  // namespace tidemark::postgres::sql
