#include "engine/sqlite/sqlite_sql.h"

namespace tidemark::sqlite {

const std::vector<SchemaTable>& schemaTables() {
  static const std::vector<SchemaTable> tables{
      {"tidemark_lock",
       "CREATE TABLE tidemark_lock (table_name TEXT PRIMARY KEY, run_id TEXT NOT NULL, user_name TEXT NOT NULL, "
       "host TEXT NOT NULL, pid INTEGER NOT NULL, since TEXT NOT NULL)"},
      {"tidemark_lineage",
       "CREATE TABLE tidemark_lineage (table_name TEXT PRIMARY KEY, system TEXT NOT NULL, timeline INTEGER NOT NULL, "
       "slot TEXT NOT NULL, stored_at TEXT NOT NULL)"},
      {"tidemark_reread",
       "CREATE TABLE tidemark_reread (table_name TEXT NOT NULL, row_key TEXT NOT NULL, reason TEXT NOT NULL, "
       "noted_at TEXT NOT NULL, position_1 INTEGER NOT NULL, position_2 INTEGER NOT NULL, "
       "position_3 INTEGER NOT NULL, PRIMARY KEY (table_name, row_key)) WITHOUT ROWID"},
      {"tidemark_ghost",
       "CREATE TABLE tidemark_ghost (run_id TEXT NOT NULL, table_name TEXT NOT NULL, segment TEXT NOT NULL, "
       "row_key TEXT NOT NULL, PRIMARY KEY (run_id, table_name, segment, row_key)) WITHOUT ROWID"},
      {"tidemark_before_image",
       "CREATE TABLE tidemark_before_image (run_id TEXT NOT NULL, table_name TEXT NOT NULL, row_key TEXT NOT NULL, "
       "payload TEXT NOT NULL, position TEXT NOT NULL, boundary_1 INTEGER NOT NULL, boundary_2 INTEGER NOT NULL, "
       "boundary_3 INTEGER NOT NULL, PRIMARY KEY (run_id, table_name, row_key)) WITHOUT ROWID"},
  };
  return tables;
}

namespace text {

const std::string tableExists = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";

const std::string selectLock = "SELECT run_id, user_name, host, pid, since FROM tidemark_lock WHERE table_name = ?";
const std::string insertLock =
    "INSERT INTO tidemark_lock (table_name, run_id, user_name, host, pid, since) VALUES (?, ?, ?, ?, ?, ?)";
const std::string deleteLock = "DELETE FROM tidemark_lock WHERE table_name = ?";
const std::string deleteLockOfRun = "DELETE FROM tidemark_lock WHERE table_name = ? AND run_id = ?";

const std::string selectLineage = "SELECT system, timeline, slot FROM tidemark_lineage WHERE table_name = ?";
const std::string insertLineage =
    "INSERT INTO tidemark_lineage (table_name, system, timeline, slot, stored_at) "
    "VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) ON CONFLICT (table_name) DO UPDATE SET "
    "system = excluded.system, timeline = excluded.timeline, slot = excluded.slot, stored_at = excluded.stored_at";

// A key stays noted for the highest position that it was noted for.
const std::string insertReread =
    "INSERT INTO tidemark_reread AS noted "
    "(table_name, row_key, reason, position_1, position_2, position_3, noted_at) "
    "VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) ON CONFLICT (table_name, row_key) DO UPDATE SET "
    "reason = excluded.reason, position_1 = excluded.position_1, position_2 = excluded.position_2, "
    "position_3 = excluded.position_3, noted_at = excluded.noted_at "
    "WHERE (noted.position_1, noted.position_2, noted.position_3) < "
    "(excluded.position_1, excluded.position_2, excluded.position_3)";
const std::string selectReread = "SELECT row_key FROM tidemark_reread WHERE table_name = ?";
// A read at a boundary has seen every change up to it: what it has not seen lies strictly above.
const std::string deleteReread =
    "DELETE FROM tidemark_reread WHERE table_name = ? AND row_key = ? "
    "AND (position_1, position_2, position_3) <= (?, ?, ?)";

const std::string createSpool = "CREATE TEMP TABLE IF NOT EXISTS ghost_spool (row_key TEXT NOT NULL)";
const std::string emptySpool = "DELETE FROM temp.ghost_spool";
const std::string insertSpool = "INSERT INTO temp.ghost_spool (row_key) VALUES (?)";

const std::string deleteGhosts = "DELETE FROM tidemark_ghost WHERE run_id = ? AND table_name = ? AND segment = ?";
const std::string insertGhosts =
    "INSERT INTO tidemark_ghost (run_id, table_name, segment, row_key) SELECT ?, ?, ?, row_key FROM temp.ghost_spool";
const std::string countGhosts =
    "SELECT count(*) FROM tidemark_ghost WHERE run_id = ? AND table_name = ? AND segment = ?";
const std::string selectGhosts =
    "SELECT row_key FROM tidemark_ghost WHERE run_id = ? AND table_name = ? AND segment = ? ORDER BY row_key";

const std::string insertBeforeImage =
    "INSERT INTO tidemark_before_image "
    "(run_id, table_name, row_key, payload, position, boundary_1, boundary_2, boundary_3) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, table_name, row_key) DO UPDATE SET "
    "payload = excluded.payload, position = excluded.position, boundary_1 = excluded.boundary_1, "
    "boundary_2 = excluded.boundary_2, boundary_3 = excluded.boundary_3";
const std::string selectBeforeImages =
    "SELECT row_key, payload, boundary_1, boundary_2, boundary_3 FROM tidemark_before_image "
    "WHERE run_id = ? AND table_name = ? AND (row_key > ? OR ?) ORDER BY row_key LIMIT 1000";
const std::string deleteBeforeImage =
    "DELETE FROM tidemark_before_image WHERE run_id = ? AND table_name = ? AND row_key = ?";
const std::string countBeforeImages = "SELECT count(*) FROM tidemark_before_image WHERE run_id = ?";
const std::string forgetBeforeImages = "DELETE FROM tidemark_before_image WHERE run_id = ?";
const std::string forgetGhosts = "DELETE FROM tidemark_ghost WHERE run_id = ?";

}  // namespace text

}  // namespace tidemark::sqlite
