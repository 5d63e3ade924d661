#include "engine/postgres/postgres_sweep_sql.h"

#include "engine/postgres/postgres_read_sql.h"
#include "engine/postgres/postgres_schema_sql.h"
#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

const char* const kRoomForKeys = "SET LOCAL work_mem TO '128MB'; SET LOCAL jit TO off";
const char* const kLookUpByKey =
    "SET LOCAL enable_hashjoin TO off; SET LOCAL enable_mergejoin TO off; SET LOCAL enable_seqscan TO off; "
    "SET LOCAL jit TO off";
const char* const kAnalyseKeyTable = "ANALYZE pg_temp.tidemark_keys";
const char* const kEmptyKeyTable = "TRUNCATE pg_temp.tidemark_keys";

const char* const kForgetPreview =
    "DELETE FROM tidemark.sweep_preview WHERE run_id = $1 AND sink_schema = $2 AND sink_table = $3 AND segment = $4";
const char* const kForgetGhosts =
    "DELETE FROM tidemark.ghost WHERE run_id = $1 AND sink_schema = $2 AND sink_table = $3 AND segment = $4";

const char* const kStorePreview = R"(INSERT INTO tidemark.sweep_preview
  (run_id, sink_schema, sink_table, segment, boundary, ghosts, live_in_scope)
VALUES ($1, $2, $3, $4, $5::bigint[], $6::bigint, $7::bigint))";

const char* const kReadPreview = R"(SELECT boundary, ghosts FROM tidemark.sweep_preview
WHERE run_id = $1 AND sink_schema = $2 AND sink_table = $3 AND segment = $4
FOR UPDATE)";

const char* const kEmptyPreview = R"(UPDATE tidemark.sweep_preview SET ghosts = 0
WHERE run_id = $1 AND sink_schema = $2 AND sink_table = $3 AND segment = $4)";

const char* const kOtherColumns = R"(SELECT DISTINCT columns FROM tidemark.before_image
WHERE run_id = $1 AND sink_schema = $2 AND sink_table = $3 AND columns <> $4::text[])";

namespace {

std::string payloadArray(const TableMapping& mapping, const std::string& alias) {
  std::string list;
  for (const ColumnPair& pair : mapping.payload) {
    list += (list.empty() ? "" : ", ") + columnOf(pair, Side::Sink, alias) + "::text";
  }
  return "ARRAY[" + list + "]::text[]";
}

/// Live, below the boundary, inside the scope: what preview, commit and the suspect check have in common.
std::string qualifies(const TableMapping& mapping, const SweepRequest& request) {
  return "NOT t." + quoteIdentifier(mapping.markerColumn) + "\n  AND " + belowPosition(mapping, "t", request.boundary) +
         "\n  AND " + scopeCondition(mapping, Side::Sink, request.scope);
}

std::string imagesOfRun(const std::string& alias) {
  return alias + ".run_id = $1 AND " + alias + ".sink_schema = $2 AND " + alias + ".sink_table = $3";
}

std::string boundText(const char* sign, const KeyBound& bound) {
  return std::string(sign) + (bound.inclusive ? "=" : "") + " " + displayKey(bound.key);
}

}  // namespace

std::string segmentName(const KeyRange& range) {
  if (!range.from && !range.to) return "all";
  std::string name;
  if (range.from) name = boundText(">", *range.from);
  if (range.to) name += (name.empty() ? "" : " and ") + boundText("<", *range.to);
  return name;
}

std::string createKeyTable(const TableMapping& mapping) {
  std::string columns;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    columns += (i > 0 ? ", " : "") + columnOf(mapping.key[i], Side::Sink) + " AS k" + std::to_string(i + 1);
  }
  return "CREATE TEMPORARY TABLE tidemark_keys ON COMMIT DROP AS\nSELECT " + columns + "\nFROM " +
         tableOf(mapping, Side::Sink) + "\nWITH NO DATA";
}

std::string copyIntoKeyTable() {
  return "COPY pg_temp.tidemark_keys FROM STDIN";
}

std::string collectGhosts(const TableMapping& mapping, const SweepRequest& request, const KeyRange& chunk) {
  std::string equal;
  for (std::size_t i = 0; i < mapping.key.size(); ++i) {
    equal += (i > 0 ? " AND listed.k" : "listed.k") + std::to_string(i + 1) + " = " +
             columnOf(mapping.key[i], Side::Sink, "t");
  }
  return "INSERT INTO tidemark.ghost (run_id, sink_schema, sink_table, segment, key)\n"
         "SELECT $1::text, $2::text, $3::text, $4::text, " +
         keyArray(mapping, "t") + "\nFROM " + tableOf(mapping, Side::Sink) + " AS t\nWHERE " +
         qualifies(mapping, request) + "\n  AND (" + rangeCondition(mapping, Side::Sink, chunk, "t") +
         ")\n  AND NOT EXISTS (SELECT FROM pg_temp.tidemark_keys AS listed WHERE " + equal + ")";
}

std::string selectQualifyingKeys(const TableMapping& mapping, const SweepRequest& request) {
  std::string keys;
  for (const ColumnPair& pair : mapping.key) {
    keys += (keys.empty() ? "" : ", ") + canonicalText(columnOf(pair, Side::Sink, "t"), pair.type.kind);
  }
  return "SELECT " + keys + "\nFROM " + tableOf(mapping, Side::Sink) + " AS t\nWHERE " + qualifies(mapping, request) +
         "\nORDER BY " + keyOrder(mapping, Side::Sink, "t");
}

std::string copyIntoGhosts() {
  return "COPY tidemark.ghost (run_id, sink_schema, sink_table, segment, key) FROM STDIN";
}

std::string sampleGhosts(const TableMapping& mapping) {
  return "SELECT " + storedColumns(mapping, "t") +
         "\nFROM (SELECT key FROM tidemark.ghost\n  WHERE run_id = $1 AND sink_schema = $2 AND sink_table = $3 AND "
         "segment = $4\n  ORDER BY " +
         storedKeyOrder(mapping, "key") + " LIMIT 20) AS ghost\nJOIN " + tableOf(mapping, Side::Sink) + " AS t ON " +
         keyEqualsStored(mapping, "t", "ghost.key") + "\nORDER BY " + keyOrder(mapping, Side::Sink, "t");
}

std::string keepBeforeImages(const TableMapping& mapping, const SweepRequest& request) {
  // The ghosts' columns are renamed so that a filter's names mean the sink's columns and nothing else.
  return "INSERT INTO tidemark.before_image\n"
         "  (run_id, sink_schema, sink_table, key, columns, payload, position, boundary)\n"
         "SELECT $1::text, $2::text, $3::text, ghost.tidemark_ghost_key, $5::text[], " +
         payloadArray(mapping, "t") + ", " + positionArray(mapping, "t") +
         ", $6::bigint[]\n"
         "FROM (SELECT key AS tidemark_ghost_key FROM tidemark.ghost\n"
         "  WHERE run_id = $1 AND sink_schema = $2 AND sink_table = $3 AND segment = $4) AS ghost\nJOIN " +
         tableOf(mapping, Side::Sink) + " AS t ON " + keyEqualsStored(mapping, "t", "ghost.tidemark_ghost_key") +
         "\nWHERE " + qualifies(mapping, request) +
         "\nFOR UPDATE OF t\n"
         "ON CONFLICT (run_id, sink_schema, sink_table, key) DO UPDATE\n"
         "SET columns = EXCLUDED.columns, payload = EXCLUDED.payload, position = EXCLUDED.position,\n"
         "  boundary = EXCLUDED.boundary, kept_at = now()";
}

std::string markGhosts(const TableMapping& mapping, const SweepRequest& request) {
  std::string assignments = quoteIdentifier(mapping.markerColumn) + " = TRUE";
  const std::vector<std::int64_t> numbers = positionNumbers(mapping, request.boundary);
  const std::vector<PositionColumn> columns = positionColumnsOf(mapping);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    assignments += ", " + quoteIdentifier(columns[i].name) + " = " + std::to_string(numbers[i]);
  }
  for (const ColumnPair& pair : mapping.payload) {
    const auto filler = mapping.fillers.find(pair.sink);
    assignments += ", " + quoteIdentifier(pair.sink) + " = " +
                   (filler == mapping.fillers.end() ? "NULL" : quoteLiteral(filler->second));
  }
  return "UPDATE " + tableOf(mapping, Side::Sink) + " AS t\nSET " + assignments +
         "\nFROM (SELECT key AS tidemark_ghost_key FROM tidemark.before_image AS image\n  WHERE " +
         imagesOfRun("image") + " AND image.boundary = $4::bigint[]) AS ghost\nWHERE " +
         keyEqualsStored(mapping, "t", "ghost.tidemark_ghost_key") + "\n  AND " + qualifies(mapping, request);
}

std::string restoreImages(const TableMapping& mapping) {
  std::string assignments = quoteIdentifier(mapping.markerColumn) + " = FALSE";
  for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
    assignments += ", " + quoteIdentifier(mapping.payload[i].sink) + " = (image.payload[" + std::to_string(i + 1) +
                   "])::" + std::string(castType(mapping.payload[i].type.kind));
  }
  return "WITH restored AS (\n  UPDATE " + tableOf(mapping, Side::Sink) + " AS t\n  SET " + assignments +
         "\n  FROM tidemark.before_image AS image\n  WHERE " + imagesOfRun("image") + "\n    AND " +
         keyEqualsStored(mapping, "t", "image.key") + "\n    AND t." + quoteIdentifier(mapping.markerColumn) + " AND " +
         positionArray(mapping, "t") + " = image.boundary\n  RETURNING image.ctid AS place\n)\n" +
         "DELETE FROM tidemark.before_image WHERE ctid = ANY (ARRAY(SELECT place FROM restored))";
}

std::string remainingImages(const TableMapping& mapping) {
  return "SELECT key FROM tidemark.before_image AS image WHERE " + imagesOfRun("image") + " ORDER BY " +
         storedKeyOrder(mapping, "key");
}

}  // namespace tidemark::postgres
