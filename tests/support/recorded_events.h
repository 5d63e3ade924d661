#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/catalog/column_type.h"
#include "engine/event/json_lines.h"
#include "engine/scope/table_mapping.h"

namespace tidemark::test {

/// One recorded message; key and value are JSON texts as the connector wrote them.
struct Recorded {
  std::int64_t offset = 0;
  std::string key;
  std::string value;
};

inline std::string recordedPath(const std::string& name) {
  return std::string(TIDEMARK_FIXTURES) + "/debezium-3.6.1/" + name;
}

/// The messages of a recording, in order. Only the offset goes through a JSON library here.
inline std::vector<Recorded> recordedEvents(const std::string& name) {
  std::ifstream lines(recordedPath(name + ".jsonl"));
  std::ifstream again(recordedPath(name + ".jsonl"));
  if (!lines || !again) throw std::runtime_error("no recording " + name);
  JsonLinesReader reader(lines);
  std::vector<Recorded> events;
  std::string text;
  for (JsonLine line; reader.next(line);) {
    std::getline(again, text);
    events.push_back({nlohmann::json::parse(text).at("offset").get<std::int64_t>(), line.key, line.value});
  }
  return events;
}

/// The key's and value's Connect schemas of a recording, as JSON texts.
struct RecordedSchemas {
  std::string key;
  std::string value;
};
inline RecordedSchemas recordedSchemas(const std::string& name) {
  std::ifstream file(recordedPath(name + ".schema.json"));
  const auto schemas = nlohmann::json::parse(file);
  return {schemas.at("key").dump(), schemas.at("value").dump()};
}

/// As it would have come over the wire with schemas turned on.
inline std::string wrapped(const std::string& schema, const std::string& payload) {
  return "{\"schema\":" + schema + ",\"payload\":" + payload + "}";
}

inline ColumnPair pairOf(const std::string& name, const std::string& type) {
  return {name, name, columnTypeOf(type, name)};
}

inline TableMapping mappingOf(const std::string& table, std::vector<ColumnPair> key, std::vector<ColumnPair> payload,
                              PositionScheme scheme) {
  TableMapping mapping;
  mapping.source = {"public", table};
  mapping.sink = {"public", table};
  mapping.key = std::move(key);
  mapping.payload = std::move(payload);
  mapping.scheme = scheme;
  mapping.positionColumns = scheme == PositionScheme::CommitLsn ? std::vector<std::string>{"position_1", "position_2"}
                                                                : std::vector<std::string>{"position"};
  mapping.markerColumn = "deleted";
  return mapping;
}

inline TableMapping ordersMapping(PositionScheme scheme) {
  return mappingOf("orders", {pairOf("id", "bigint")},
                   {pairOf("customer", "text"), pairOf("status", "text"), pairOf("total", "numeric(12,2)"),
                    pairOf("note", "text"), pairOf("updated_at", "timestamp with time zone")},
                   scheme);
}

inline TableMapping linesMapping(PositionScheme scheme) {
  return mappingOf("lines", {pairOf("order_id", "bigint"), pairOf("sku", "text")}, {pairOf("qty", "integer")}, scheme);
}

inline TableMapping devicesMapping(PositionScheme scheme) {
  return mappingOf("devices", {pairOf("id", "uuid")}, {pairOf("label", "text")}, scheme);
}

}  // namespace tidemark::test
