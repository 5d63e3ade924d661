#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/load/load.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::runbook {

/// Where history is read from. May be left out of a profile: events can be applied and a sink be certified without it.
struct SourceProfile {
  std::string system;      ///< "postgresql" or "simulator".
  std::string connection;  ///< libpq string, for postgresql: "service=shop" or "host=… dbname=… user=…". No password.
  std::string file;        ///< For the simulator: its database file; empty lets the program choose one.
  std::string table;       ///< "public.orders", as TableName::parse reads it.
  std::string slot;        ///< Replication slot whose restart_lsn is recorded; may be empty.
};

/// The table that history is put into, and how positions and markers lie in it.
struct SinkProfile {
  std::string system;      ///< "postgresql" or "sqlite".
  std::string connection;  ///< libpq string, for postgresql. No password.
  std::string file;        ///< Database file, for sqlite.
  std::string table;
  std::vector<std::string> positionColumns;  ///< One for lsn, binlog and scn; two for commit-lsn.
  std::string ordinalColumn;                 ///< Empty when the scheme needs none.
  std::string markerColumn;
  std::map<std::string, std::string> fillers;    ///< Sink column -> canonical text of a marker without payload.
  std::map<std::string, std::string> columnMap;  ///< Source column -> sink column; columns not named keep their name.
};

/// Figures that the operator may change before the plan is frozen, and the pace also later (step 8).
struct Limits {
  std::size_t batchRows = 10000;
  std::uint64_t rowsPerSecond = 0;                  ///< 0 = no limit.
  std::chrono::milliseconds maximumSinkLatency{0};  ///< 0 = no limit.
  std::chrono::seconds longestPause{60};
  std::chrono::seconds boundaryTimeout{300};
  std::chrono::seconds drainTimeout{300};  ///< How long step 10 is measured again before it counts as shut.
  std::uint64_t sweepCapPermille = 10;     ///< Ghosts allowed as share of the scope's live rows, in thousandths.
  std::uint64_t sweepTolerance = 0;        ///< How far the count may differ between preview and commit.
  std::uint64_t rowsPerBucket = 250000;    ///< Verification.
  int verifyConnections = 2;
  std::uint64_t canaryKeys = 5;

  Pace pace() const { return {batchRows, rowsPerSecond, maximumSinkLatency, longestPause}; }
};

/// What a run works on. A value: loaded once, copied into the journal's first entry, never changed by a run.
struct Profile {
  std::string name;
  std::string environment;  ///< "production", "staging" or any other word; shown on every page.
  SourceProfile source;
  SinkProfile sink;
  PositionScheme scheme = PositionScheme::Lsn;
  Limits limits;

  bool production() const { return environment == "production"; }
  /// False when the profile names a sink alone.
  bool hasSource() const { return !source.system.empty(); }
};

/// Reads a profile. Throws Error "profile.file" (cannot be read), "profile.json" (no JSON, with line),
/// "profile.unknown_field" (named with its path), "profile.missing_field", "profile.field" (wrong type or value, with
/// what is allowed), "profile.password" (a secret in a connection string). Every one names field, reason and way out.
Profile loadProfile(const std::filesystem::path& file);
Profile parseProfile(const std::string& jsonText);  ///< The same of a text; throws but for "profile.file".
/// Canonical JSON of a profile; parseProfile reads it back to an equal value. Holds no secret, because no profile can.
std::string writeProfile(const Profile& profile);

/// Throws Error "profile.no_source" when the profile names a sink alone.
void requireSource(const Profile& profile);

/// True when a libpq connection string, keyword form or URI, holds a password.
bool holdsPassword(const std::string& connection);

/// Builds the mapping from the profile and both catalogues: key in the order of the source's primary key, payload the
/// other source columns that the sink has too. Throws Error "mapping.no_key" (source without primary key),
/// "mapping.column" (a mapped, position or marker column that a table lacks, named), "mapping.position_columns"
/// (number of position columns does not fit the scheme).
TableMapping buildMapping(const Profile& profile, const TableShape& source, const TableShape& sink);

/// The same for a profile without a source: the sink's own catalogue stands for the source's, without the columns of
/// the guard; the source's table bears the sink's name, in whatever schema. Throws as buildMapping().
TableMapping buildSinkMapping(const Profile& profile, const TableShape& sink);

}  // namespace tidemark::runbook
