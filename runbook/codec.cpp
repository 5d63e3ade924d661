#include "runbook/codec.h"

#include <QCryptographicHash>
#include <nlohmann/json.hpp>

#include "runbook/segment_record.h"

namespace tidemark::runbook {

using nlohmann::json;

namespace {

json parts(const Key& key) {
  return json(key);
}

json rangeJson(const KeyRange& range) {
  json result = json::object();
  const auto bound = [&](const char* name, const std::optional<KeyBound>& value) {
    if (value) result[name] = {{"inclusive", value->inclusive}, {"key", parts(value->key)}};
  };
  bound("from", range.from);
  bound("to", range.to);
  return result;
}

KeyRange rangeOf(const json& value) {
  KeyRange range;
  const auto bound = [&](const char* name) -> std::optional<KeyBound> {
    if (!value.contains(name)) return {};
    return KeyBound{value.at(name).at("key").get<Key>(), value.at(name).at("inclusive").get<bool>()};
  };
  range.from = bound("from");
  range.to = bound("to");
  return range;
}

json scopeJson(const Scope& scope) {
  return {{"filter", scope.filter}, {"range", rangeJson(scope.range)}, {"sink_filter", scope.sinkFilter}};
}

json countsJson(const ApplyCounts& counts) {
  json result = json::object();
  for (const NamedCount& each : kNamedCounts) result[each.name] = counts.*each.count;
  return result;
}

ApplyCounts countsOf(const json& value) {
  ApplyCounts counts;
  for (const NamedCount& each : kNamedCounts) counts.*each.count = value.at(each.name);
  return counts;
}

json blockersJson(const std::vector<Blocker>& blockers) {
  json list = json::array();
  for (const Blocker& each : blockers) {
    list.push_back({{"pid", each.pid},
                    {"prepared", each.preparedName},
                    {"user", each.user},
                    {"application", each.application},
                    {"transaction", each.transactionId},
                    {"age_seconds", each.age.count()},
                    {"query_start", each.queryStart},
                    {"wait_event", each.waitEvent}});
  }
  return list;
}

std::vector<Blocker> blockersOf(const json& list) {
  std::vector<Blocker> result;
  for (const json& each : list) {
    Blocker blocker;
    blocker.pid = each.at("pid");
    blocker.preparedName = each.at("prepared");
    blocker.user = each.at("user");
    blocker.application = each.at("application");
    blocker.transactionId = each.at("transaction");
    blocker.age = std::chrono::seconds(each.at("age_seconds").get<std::int64_t>());
    blocker.queryStart = each.at("query_start");
    blocker.waitEvent = each.at("wait_event");
    result.push_back(std::move(blocker));
  }
  return result;
}

json boundaryJson(const Boundary& boundary) {
  return {
      {"position", boundary.position.element},
      {"low", boundary.low},
      {"settled", boundary.settled},
      {"transaction", boundary.transactionId},
      {"restart_lsn", boundary.restartLsn},
      {"lineage", boundary.lineage.display()},
      {"lineage_parts",
       {{"system", boundary.lineage.system}, {"timeline", boundary.lineage.timeline}, {"slot", boundary.lineage.slot}}},
      {"change_mark", boundary.changeMark},
      {"server_start", boundary.serverStart},
      {"waited_ms", boundary.waited.count()},
      {"held_back_by", blockersJson(boundary.heldBackBy)}};
}

Boundary boundaryOf(const json& value) {
  Boundary boundary;
  boundary.position.element = value.at("position").get<std::array<std::int64_t, 3>>();
  boundary.low = value.at("low");
  boundary.settled = value.at("settled");
  boundary.transactionId = value.at("transaction");
  boundary.restartLsn = value.at("restart_lsn");
  const json& lineage = value.at("lineage_parts");
  boundary.lineage = {lineage.at("system"), lineage.at("timeline"), lineage.at("slot")};
  boundary.changeMark = value.at("change_mark");
  boundary.serverStart = value.at("server_start");
  boundary.waited = std::chrono::milliseconds(value.at("waited_ms").get<std::int64_t>());
  boundary.heldBackBy = blockersOf(value.at("held_back_by"));
  return boundary;
}

json segmentJson(const Segment& segment) {
  json result{{"number", segment.number},
              {"range", rangeJson(segment.range)},
              {"boundary", boundaryJson(segment.boundary)},
              {"keys",
               {{"count", segment.keys.summary.count},
                {"digest", segment.keys.summary.digest},
                {"bytes", segment.keys.bytes},
                {"last", parts(segment.keys.last)}}},
              {"key_file", segment.keyFile},
              {"rows_read", segment.rowsRead},
              {"rows_loaded", segment.rowsLoaded},
              {"counts", countsJson(segment.counts)},
              {"closed", segment.closed},
              {"complete", segment.complete}};
  if (segment.keysAtSource) result["keys_at_source"] = *segment.keysAtSource;
  return result;
}

Segment segmentOf(const json& value) {
  Segment segment;
  segment.number = value.at("number");
  segment.range = rangeOf(value.at("range"));
  segment.boundary = boundaryOf(value.at("boundary"));
  const json& keys = value.at("keys");
  segment.keys = {{keys.at("count"), keys.at("digest")}, keys.at("bytes"), keys.at("last").get<Key>()};
  segment.keyFile = value.at("key_file");
  segment.rowsRead = value.at("rows_read");
  segment.rowsLoaded = value.at("rows_loaded");
  segment.counts = countsOf(value.at("counts"));
  segment.closed = value.at("closed");
  segment.complete = value.at("complete");
  if (value.contains("keys_at_source")) segment.keysAtSource = value.at("keys_at_source").get<std::uint64_t>();
  return segment;
}

json columnsJson(const std::vector<ColumnPair>& columns) {
  json list = json::array();
  for (const ColumnPair& each : columns) {
    list.push_back({{"source", each.source}, {"sink", each.sink}, {"type", each.type.declared}});
  }
  return list;
}

}  // namespace

std::string canonicalDump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string encodeGate(const Gate& gate) {
  json result{{"id", gate.id},
              {"title", gate.title},
              {"result", resultName(gate.result)},
              {"measured", gate.measured},
              {"limit", gate.limit},
              {"unit", gate.unit},
              {"source", gate.source},
              {"measured_at", gate.measuredAt},
              {"valid_for_seconds", gate.validForSeconds},
              {"hint", gate.hint},
              {"waivable", gate.waivable},
              {"outcome", gate.outcome}};
  if (gate.waiver) {
    result["waiver"] = {{"reason", gate.waiver->reason},
                        {"second_person", gate.waiver->secondPerson},
                        {"user", gate.waiver->user},
                        {"time", gate.waiver->time}};
  }
  return canonicalDump(result);
}

Gate decodeGate(const std::string& text) {
  const json value = json::parse(text);
  Gate gate;
  gate.id = value.at("id");
  gate.title = value.at("title");
  const auto word = value.at("result").get<std::string>();
  for (const GateResult each : {GateResult::Pass, GateResult::Warn, GateResult::Fail, GateResult::Unknown,
                                GateResult::Stale, GateResult::DoesNotApply}) {
    if (resultName(each) == word) gate.result = each;
  }
  gate.measured = value.at("measured");
  gate.limit = value.at("limit");
  gate.unit = value.at("unit");
  gate.source = value.at("source");
  gate.measuredAt = value.at("measured_at");
  gate.validForSeconds = value.at("valid_for_seconds");
  gate.hint = value.at("hint");
  gate.waivable = value.at("waivable");
  gate.outcome = value.at("outcome");
  if (value.contains("waiver")) {
    const json& waiver = value.at("waiver");
    gate.waiver = Waiver{waiver.at("reason"), waiver.at("second_person"), waiver.at("user"), waiver.at("time")};
  }
  return gate;
}

std::string encodeRunError(const RunError& error) {
  return canonicalDump({{"code", error.code},
                        {"message", error.message},
                        {"hint", error.hint},
                        {"technical", error.technical},
                        {"time", error.time}});
}

RunError decodeRunError(const std::string& text) {
  const json value = json::parse(text);
  return {value.at("code"), value.at("message"), value.at("hint"), value.at("technical"), value.at("time")};
}

std::string encodeKey(const Key& key) {
  return canonicalDump(parts(key));
}

std::string encodeScope(const Scope& scope) {
  return canonicalDump(scopeJson(scope));
}

Scope decodeScope(const std::string& text) {
  const json value = json::parse(text);
  return {rangeOf(value.at("range")), value.at("filter"), value.at("sink_filter")};
}

std::string encodePosition(const Position& position) {
  return canonicalDump(json(position.element));
}

Position decodePosition(const std::string& text) {
  return {json::parse(text).get<std::array<std::int64_t, 3>>()};
}

std::string encodeCounts(const ApplyCounts& counts) {
  return canonicalDump(countsJson(counts));
}

std::string encodeBlockers(const std::vector<Blocker>& blockers) {
  return canonicalDump(blockersJson(blockers));
}

std::string encodeBoundary(const Boundary& boundary) {
  return canonicalDump(boundaryJson(boundary));
}

Boundary decodeBoundary(const std::string& text) {
  return boundaryOf(json::parse(text));
}

std::string encodeSegmentRecord(const SegmentRecord& record) {
  return canonicalDump({{"asked", rangeJson(record.asked)}, {"segment", segmentJson(record.segment)}});
}

SegmentRecord decodeSegmentRecord(const std::string& text) {
  const json value = json::parse(text);
  return {segmentOf(value.at("segment")), rangeOf(value.at("asked"))};
}

std::string encodeMapping(const TableMapping& mapping) {
  return canonicalDump({{"source", mapping.source.display()},
                        {"sink", mapping.sink.display()},
                        {"key", columnsJson(mapping.key)},
                        {"payload", columnsJson(mapping.payload)},
                        {"scheme", schemeName(mapping.scheme)},
                        {"position_columns", mapping.positionColumns},
                        {"ordinal_column", mapping.ordinalColumn},
                        {"marker_column", mapping.markerColumn},
                        {"fillers", mapping.fillers}});
}

std::string encodeShape(const TableShape& shape) {
  json columns = json::array();
  for (const Column& each : shape.columns) {
    columns.push_back({{"name", each.name}, {"type", each.type.declared}, {"nullable", each.nullable}});
  }
  json key = json::array();
  for (const std::size_t index : shape.key) key.push_back(shape.columns.at(index).name);
  return canonicalDump({{"table", shape.name.display()}, {"columns", columns}, {"key", key}});
}

std::string encodeStoredRow(const StoredRow& row, const TableMapping& mapping) {
  json payload = json::object();
  for (std::size_t index = 0; index < row.payload.size() && index < mapping.payload.size(); ++index) {
    const Cell& cell = row.payload[index];
    payload[mapping.payload[index].sink] = cell.isPresent() ? json(cell.text) : json();
  }
  return canonicalDump({{"key", displayKey(row.key)},
                        {"deleted", row.deleted},
                        {"position", displayPosition(mapping.scheme, row.position)},
                        {"payload", payload}});
}

std::string encodeVerification(const VerifyReport& report, PositionScheme scheme, std::size_t differencesShown) {
  json list = json::array();
  for (const Difference& each : report.differences) {
    if (list.size() >= differencesShown) break;
    json entry{{"key", parts(each.key)},
               {"kind", differenceName(each.kind)},
               {"marker", each.sinkHasMarker},
               {"columns", each.columns}};
    if (each.sinkPosition) entry["sink_position"] = displayPosition(scheme, *each.sinkPosition);
    list.push_back(std::move(entry));
  }
  return canonicalDump({{"method", report.method},
                        {"source_rows", report.sourceRows},
                        {"sink_live_rows", report.sinkLiveRows},
                        {"suspects", report.suspects},
                        {"differing_first_pass", report.differingFirstPass},
                        {"missing", report.missing},
                        {"ghost", report.ghosts},
                        {"stale", report.stale},
                        {"different_at_same_position", report.differentAtSamePosition},
                        {"in_flight", report.inFlight},
                        {"buckets", report.buckets.size()},
                        {"spot_keys_equal", report.spotKeysEqual},
                        {"spot_keys_different", report.spotKeysDifferent},
                        {"source_digest", report.sourceDigest},
                        {"sink_digest", report.sinkDigest},
                        {"differences", list}});
}

std::string sha256Hex(const std::string& bytes) {
  return QCryptographicHash::hash(QByteArray::fromStdString(bytes), QCryptographicHash::Sha256).toHex().toStdString();
}

}  // namespace tidemark::runbook
