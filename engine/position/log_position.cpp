// How positions are written by the systems they come from: PostgreSQL's pg_lsn, Debezium's sequence, MySQL's binlog.
#include <charconv>
#include <limits>

#include "engine/core/error.h"
#include "engine/position/position.h"

namespace tidemark {

namespace {

constexpr int kBinlogOffsetBits = 40;
constexpr std::uint64_t kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

[[noreturn]] void refuse(const char* code, std::string_view text, const std::string& reason, const std::string& hint) {
  throw Error(code, "\"" + std::string(text) + "\" is no position: " + reason, {.hint = hint});
}

/// Digits of `base` and nothing else; empty when it is not that, or does not fit.
std::optional<std::uint64_t> readDigits(std::string_view text, int base) {
  std::uint64_t value = 0;
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr const char* kLsnHint = "A PostgreSQL LSN reads 16/B374D848: two hexadecimal numbers with a slash.";
constexpr const char* kSequenceHint =
    "source.sequence reads [\"27734304\",\"27734416\"], the first may be null. Check that no transform rewrites it.";
constexpr const char* kBinlogHint = "A binlog position reads mysql-bin.000042:1234.";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 17> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, 16);
  std::string text(buffer.data(), written.ptr);
  for (char& c : text)
    if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// One element of a sequence: "123" in quotes, 123, or null.
std::optional<std::int64_t> readElement(std::string_view whole, std::string_view element) {
  element = trimmed(element);
  if (element == "null") return std::nullopt;
  if (element.size() >= 2 && element.front() == '"' && element.back() == '"')
    element = element.substr(1, element.size() - 2);
  const auto value = readDigits(element, 10);
  if (!value || *value > kLargest)
    refuse("position.sequence", whole, "an element is no number below 2^63.", kSequenceHint);
  return static_cast<std::int64_t>(*value);
}

}  // namespace

std::int64_t parseLsn(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) refuse("position.lsn", text, "it has no slash.", kLsnHint);
  const std::string_view high = text.substr(0, slash);
  const std::string_view low = text.substr(slash + 1);
  const auto x = high.size() <= 8 ? readDigits(high, 16) : std::nullopt;
  const auto y = low.size() <= 8 ? readDigits(low, 16) : std::nullopt;
  if (!x || !y) refuse("position.lsn", text, "a half is not one to eight hexadecimal digits.", kLsnHint);
  const std::uint64_t value = (*x << 32U) | *y;
  if (value > kLargest) refuse("position.lsn", text, "it lies past 2^63-1, which no BIGINT column holds.", kLsnHint);
  return static_cast<std::int64_t>(value);
}

std::string formatLsn(std::int64_t lsn) {
  if (lsn < 0) return std::to_string(lsn);
  const auto value = static_cast<std::uint64_t>(lsn);
  return hexadecimal(value >> 32U) + "/" + hexadecimal(value & 0xFFFFFFFFU);
}

Sequence parseSequence(std::string_view text) {
  const std::string_view whole = text;
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    refuse("position.sequence", whole, "it is no array.", kSequenceHint);
  text = text.substr(1, text.size() - 2);
  const auto comma = text.find(',');
  if (comma == std::string_view::npos || text.find(',', comma + 1) != std::string_view::npos)
    refuse("position.sequence", whole, "it does not have two elements.", kSequenceHint);
  Sequence sequence;
  sequence.lastCommit = readElement(whole, text.substr(0, comma));
  const auto lsn = readElement(whole, text.substr(comma + 1));
  if (!lsn) refuse("position.sequence", whole, "its second element is null.", kSequenceHint);
  sequence.lsn = *lsn;
  return sequence;
}

std::int64_t parseBinlog(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto dot = text.rfind('.', colon);
  if (colon == std::string_view::npos || dot == std::string_view::npos)
    refuse("position.binlog", text, "it is not a file and an offset.", kBinlogHint);
  const auto file = readDigits(text.substr(dot + 1, colon - dot - 1), 10);
  const auto offset = readDigits(text.substr(colon + 1), 10);
  if (!file || !offset) refuse("position.binlog", text, "file number or offset is no number.", kBinlogHint);
  if (*offset >> kBinlogOffsetBits != 0 || *file > (kLargest >> kBinlogOffsetBits))
    refuse("position.binlog", text, "it lies past 2^63-1, which no BIGINT column holds.", kBinlogHint);
  return static_cast<std::int64_t>((*file << kBinlogOffsetBits) | *offset);
}

std::string formatBinlog(std::int64_t position, std::string_view baseName) {
  const auto value = static_cast<std::uint64_t>(position);
  std::string file = std::to_string(value >> kBinlogOffsetBits);
  if (file.size() < 6) file.insert(0, 6 - file.size(), '0');
  const std::uint64_t offset = value & ((std::uint64_t{1} << kBinlogOffsetBits) - 1);
  return std::string(baseName) + (baseName.empty() ? "" : ".") + file + ":" + std::to_string(offset);
}

}  // namespace tidemark
