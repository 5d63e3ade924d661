#pragma once

#include <string>

#include "engine/apply/sink.h"

namespace tidemark::postgres {

/// SQL text of the sweep. Throughout: $1 run, $2 schema and $3 name of the sink table, $4 segment.

/// The name of a key range within a run: previews of the same range replace each other.
std::string segmentName(const KeyRange& range);

/// For the preview: a chunk of keys fits a hash table in memory.
extern const char* const kRoomForKeys;
/// For commit and undo: one index look-up a stored key, whatever the statistics say.
extern const char* const kLookUpByKey;
std::string createKeyTable(const TableMapping& mapping);
std::string copyIntoKeyTable();
extern const char* const kAnalyseKeyTable;
extern const char* const kEmptyKeyTable;
extern const char* const kForgetPreview;
extern const char* const kForgetGhosts;
/// Ghosts within `chunk`: the part of the range whose keys the key table holds. An anti-join on equality.
std::string collectGhosts(const TableMapping& mapping, const SweepRequest& request, const KeyRange& chunk);
/// Keys of the rows that could be ghosts, in key order.
std::string selectQualifyingKeys(const TableMapping& mapping, const SweepRequest& request);
/// COPY of ghosts: run, schema, table, segment, key as an array.
std::string copyIntoGhosts();
extern const char* const kStorePreview;  ///< $5 boundary, $6 ghosts, $7 live rows in the scope.
extern const char* const kReadPreview;   ///< Answers boundary and ghosts; locks the preview.
extern const char* const kEmptyPreview;  ///< The preview was committed: nothing is left to mark.
std::string sampleGhosts(const TableMapping& mapping);

/// Keeps before-images of the ghosts that still qualify, and locks those rows. $5 column names, $6 boundary.
std::string keepBeforeImages(const TableMapping& mapping, const SweepRequest& request);
/// Marks the rows whose before-image was just kept, with the guard repeated. $4 boundary instead of a segment.
std::string markGhosts(const TableMapping& mapping, const SweepRequest& request);

/// Columns of the before-images of the run that differ from $4; no row when they agree.
extern const char* const kOtherColumns;
/// Puts before-images back where the marker is untouched and drops them.
std::string restoreImages(const TableMapping& mapping);
/// Keys of the before-images that are left, in key order.
std::string remainingImages(const TableMapping& mapping);

}  // namespace tidemark::postgres
