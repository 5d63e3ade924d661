#include "engine/simulator/envelope.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"

namespace tidemark {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUnavailable = "__debezium_unavailable_value";

std::string base64(const std::string& bytes) {
  static constexpr std::array<char, 65> kLetters{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kLetters[group >> (18 - 6 * j) & 63U];
    }
  }
  return text;
}

/// The unscaled digits of a total with two decimals, as the shortest big-endian two's complement.
std::string unscaledBytes(const std::string& total) {
  const std::size_t point = total.find('.');
  if (point == std::string::npos || total.size() - point != 3) {
    throw Error("simulator.total", "a total must have two decimals: " + total);
  }
  std::string digits = total;
  digits.erase(point, 1);
  std::int64_t rest = std::stoll(digits);
  std::string bytes;
  // The highest bit is the sign's: one byte more where the digits would take it.
  for (;;) {
    const auto low = static_cast<unsigned char>(rest & 0xff);
    bytes += static_cast<char>(low);
    rest >>= 8;
    if ((rest == 0 && low < 0x80) || (rest == -1 && low >= 0x80)) break;
  }
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// "2026-01-01 00:00:00.5+00" as "2026-01-01T00:00:00.500000Z".
std::string isoTimestamp(std::string canonical) {
  canonical.resize(canonical.size() - 3);
  canonical[10] = 'T';
  const std::size_t digits = canonical.size() - 19;
  if (digits == 0) canonical += '.';
  canonical.append(7 - std::max<std::size_t>(digits, 1), '0');
  return canonical + 'Z';
}

Json image(const LogEntry& entry) {
  const Order& order = *entry.after;
  Json json;
  json["id"] = order.id;
  json["customer"] = order.customer;
  json["status"] = order.status;
  json["total"] = base64(unscaledBytes(order.total));
  if (!order.note) {
    json["note"] = nullptr;
  } else {
    json["note"] = entry.noteUnchanged && order.note->size() > kLongNote ? kUnavailable : *order.note;
  }
  json["updated_at"] = isoTimestamp(order.updatedAt);
  return json;
}

/// With the default replica identity a delete's before image holds the key; the connector makes up the rest.
Json madeUpImage(std::int64_t id) {
  return {{"id", id},        {"customer", ""},  {"status", ""},
          {"total", "AA=="}, {"note", nullptr}, {"updated_at", "1970-01-01T00:00:00.000000Z"}};
}

Json sourceBlock(const LoggedTransaction& transaction, const LogEntry& entry, std::optional<std::int64_t> lastCommit) {
  const Json sequence =
      Json::array({lastCommit ? Json(std::to_string(*lastCommit)) : Json(nullptr), std::to_string(entry.position)});
  Json source;
  source["version"] = "3.6.1.Final";
  source["connector"] = "postgresql";
  source["name"] = "simulator";
  source["ts_ms"] = transaction.committedAt;
  source["snapshot"] = "false";
  source["db"] = "simulator";
  source["sequence"] = sequence.dump();
  source["ts_us"] = transaction.committedAt * 1000;
  source["ts_ns"] = transaction.committedAt * 1000000;
  source["schema"] = "main";
  source["table"] = "orders";
  source["txId"] = transaction.transactionId;
  source["lsn"] = entry.position;
  source["xmin"] = nullptr;
  return source;
}

std::string keyText(const LogEntry& entry) {
  return Json{{"id", entry.id}}.dump();
}

}  // namespace

TopicMessage envelope(const LoggedTransaction& transaction, const LogEntry& entry,
                      std::optional<std::int64_t> lastCommit) {
  Json value;
  value["before"] = entry.after ? Json(nullptr) : madeUpImage(entry.id);
  value["after"] = entry.after ? image(entry) : Json(nullptr);
  value["source"] = sourceBlock(transaction, entry, lastCommit);
  value["transaction"] = nullptr;
  value["op"] = std::string(1, entry.operation);
  value["ts_ms"] = transaction.committedAt;
  return {keyText(entry), value.dump()};
}

TopicMessage tombstone(const LogEntry& entry) {
  return {keyText(entry), "null"};
}

}  // namespace tidemark
