#pragma once

/// Questions to the catalogue about a sink table: what the guard needs of it and what may surprise it.
namespace tidemark::postgres::sql {

/// $1 schema, $2 table: oid, kind, persistence, row security enabled, row security active for this role, table size.
inline constexpr const char* kSinkTable = R"sql(
SELECT c.oid::text, c.relkind::text, c.relpersistence::text, c.relrowsecurity,
  CASE WHEN c.relkind IN ('r', 'p') THEN row_security_active(c.oid) ELSE FALSE END,
  pg_size_pretty(pg_total_relation_size(c.oid))
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
)sql";

/// $1 oid: name, base type, declared type, NOT NULL, generated or refusing values, has a default, collation is
/// deterministic.
inline constexpr const char* kSinkColumns = R"sql(
SELECT a.attname, format_type(a.atttypid, NULL), format_type(a.atttypid, a.atttypmod), a.attnotnull,
  a.attgenerated <> '' OR a.attidentity = 'a', a.atthasdef OR a.attidentity <> '',
  coalesce(collation_of.collisdeterministic, TRUE)
FROM pg_attribute AS a
LEFT JOIN pg_collation AS collation_of ON collation_of.oid = a.attcollation
WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
)sql";

/// $1 oid: columns of the primary key as an array, and whether it is checked at once.
inline constexpr const char* kSinkKey = R"sql(
SELECT array_agg(a.attname ORDER BY part.place), bool_and(i.indimmediate)
FROM pg_index AS i
CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS part (attnum, place)
JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = part.attnum
WHERE i.indrelid = $1::oid AND i.indisprimary AND part.place <= i.indnkeyatts
)sql";

// Each answers one text: names apart by commas, NULL when there are none. $1 oid.

inline constexpr const char* kOtherUniqueIndexes = R"sql(
SELECT string_agg(indexrelid::regclass::text, ', ' ORDER BY indexrelid::regclass::text)
FROM pg_index WHERE indrelid = $1::oid AND (indisunique OR indisexclusion) AND NOT indisprimary
)sql";

inline constexpr const char* kForeignKeys = R"sql(
SELECT string_agg(conname || ' (' || conrelid::regclass::text || ' refers to ' || confrelid::regclass::text || ')',
  ', ' ORDER BY conname)
FROM pg_constraint WHERE contype = 'f' AND (conrelid = $1::oid OR confrelid = $1::oid)
)sql";

inline constexpr const char* kTriggers = R"sql(
SELECT string_agg(tgname, ', ' ORDER BY tgname)
FROM pg_trigger WHERE tgrelid = $1::oid AND NOT tgisinternal AND tgenabled <> 'D'
)sql";

inline constexpr const char* kRules = R"sql(
SELECT string_agg(rulename, ', ' ORDER BY rulename) FROM pg_rewrite WHERE ev_class = $1::oid AND ev_enabled <> 'D'
)sql";

/// $1 oid: rights that are missing.
inline constexpr const char* kMissingRights = R"sql(
SELECT string_agg(missing, ', ')
FROM (
  SELECT wanted || ' on the table' AS missing
  FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS wanted
  WHERE NOT has_table_privilege($1::oid, wanted)
  UNION ALL
  SELECT 'TEMPORARY on the database' WHERE NOT has_database_privilege(current_database(), 'TEMPORARY')
  UNION ALL
  SELECT 'USAGE on the schema tidemark'
  FROM pg_namespace AS n WHERE n.nspname = 'tidemark' AND NOT has_schema_privilege(n.oid, 'USAGE')
  UNION ALL
  SELECT 'CREATE on the database, or the schema tidemark made by an administrator'
  WHERE to_regnamespace('tidemark') IS NULL AND NOT has_database_privilege(current_database(), 'CREATE')
  UNION ALL
  SELECT wanted || ' on tidemark.' || c.relname
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
  WHERE n.nspname = 'tidemark' AND c.relkind = 'r'
    AND c.relname IN ('table_lock', 'lineage', 'reread', 'sweep_preview', 'ghost', 'before_image')
    AND NOT has_table_privilege(c.oid, wanted)
) AS rights
)sql";

}  // namespace tidemark::postgres::sql
