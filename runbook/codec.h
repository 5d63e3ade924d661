#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/apply/sink.h"
#include "engine/boundary/boundary.h"
#include "engine/load/load.h"
#include "engine/verify/verify.h"
#include "runbook/run_state.h"
#include "runbook/segment_record.h"

// Values to canonical JSON and back, for journal, evidence and report. Used by the runbook's own sources only.
// Decoding throws nlohmann's exceptions on anything that was not encoded here.
namespace tidemark::runbook {

/// Sorted keys, no spaces; bytes that are no UTF-8 are replaced.
std::string canonicalDump(const nlohmann::json& value);

std::string encodeGate(const Gate& gate);
Gate decodeGate(const std::string& text);
std::string encodeRunError(const RunError& error);
RunError decodeRunError(const std::string& text);

std::string encodeKey(const Key& key);
std::string encodeScope(const Scope& scope);
Scope decodeScope(const std::string& text);
std::string encodePosition(const Position& position);
Position decodePosition(const std::string& text);
std::string encodeCounts(const ApplyCounts& counts);
std::string encodeBlockers(const std::vector<Blocker>& blockers);
std::string encodeBoundary(const Boundary& boundary);
Boundary decodeBoundary(const std::string& text);
std::string encodeSegmentRecord(const SegmentRecord& record);
SegmentRecord decodeSegmentRecord(const std::string& text);
std::string encodeMapping(const TableMapping& mapping);
std::string encodeShape(const TableShape& shape);
std::string encodeStoredRow(const StoredRow& row, const TableMapping& mapping);
/// At most `differencesShown` differences; all are counted.
std::string encodeVerification(const VerifyReport& report, PositionScheme scheme, std::size_t differencesShown);

/// SHA-256 as lower-case hex.
std::string sha256Hex(const std::string& bytes);

}  // namespace tidemark::runbook
