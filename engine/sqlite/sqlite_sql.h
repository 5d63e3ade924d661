#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"
#include "engine/sqlite/sqlite_connection.h"

/// Every statement that the SQLite sink speaks, built in one place; identifiers are quoted by quote(), values bound.
namespace tidemark::sqlite {

/// An identifier in double quotes. SQLite reads an unknown one as a text: callers check names against the catalogue.
std::string quote(std::string_view identifier);
std::string quote(const TableName& table);

// Reading. Columns stand in this order: key, payload (if asked for), position, marker.

std::string selectByKey(const TableMapping& mapping);
std::string selectRows(const TableMapping& mapping, const Scope& scope, SinkRows which, bool withPayload);
std::string countLive(const TableMapping& mapping, const Scope& scope);
std::string countMarkers(const TableMapping& mapping, const KeyRange& range);
/// The position columns of the highest row, or of the lowest at or above zero.
std::string highestPosition(const TableMapping& mapping);
std::string lowestPosition(const TableMapping& mapping);
std::string explainFilter(const TableMapping& mapping, const std::string& condition);

// Writing.

/// The guarded upsert. `leftOut` has one entry a payload column: a left-out column keeps what is stored, and takes its
/// filler where nothing is. Bind with bindUpsert.
std::string guardedUpsert(const TableMapping& mapping, const std::vector<bool>& leftOut);
/// Marks one ghost, with the guard repeated. Bind: fillers, marker's position, key, boundary.
std::string markGhost(const TableMapping& mapping);
/// Puts one before-image back where the marker is untouched. Bind: payload, key, boundary.
std::string restoreRow(const TableMapping& mapping);

// Binding and reading values.

void bindCell(Statement& statement, ColumnKind kind, const Cell& cell, const std::string& column);
void bindKey(Statement& statement, const TableMapping& mapping, const Key& key);
void bindPosition(Statement& statement, const TableMapping& mapping, const Position& position);
void bindRange(Statement& statement, const TableMapping& mapping, const KeyRange& range);
void bindUpsert(Statement& statement, const TableMapping& mapping, const Change& change);
/// What a marker holds in each payload column: the filler where the profile has one, NULL elsewhere.
Row markerPayload(const TableMapping& mapping);

Cell readCell(const Statement& statement, int column, ColumnKind kind);
StoredRow readRow(const Statement& statement, const TableMapping& mapping, bool withPayload);
Position readPosition(const Statement& statement, const TableMapping& mapping, int firstColumn);

// The prefixed tables.

struct SchemaTable {
  std::string name;
  std::string create;
};
const std::vector<SchemaTable>& schemaTables();

namespace text {
extern const std::string tableExists;
extern const std::string selectLock;
extern const std::string insertLock;
extern const std::string deleteLock;
extern const std::string deleteLockOfRun;
extern const std::string selectLineage;
extern const std::string insertLineage;
extern const std::string insertReread;
extern const std::string selectReread;
extern const std::string deleteReread;
extern const std::string createSpool;
extern const std::string emptySpool;
extern const std::string insertSpool;
extern const std::string deleteGhosts;
extern const std::string insertGhosts;
extern const std::string countGhosts;
extern const std::string selectGhosts;
extern const std::string insertBeforeImage;
extern const std::string selectBeforeImages;
extern const std::string deleteBeforeImage;
extern const std::string countBeforeImages;
extern const std::string forgetBeforeImages;
extern const std::string forgetGhosts;
}  // namespace text

}  // namespace tidemark::sqlite
