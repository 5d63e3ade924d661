#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace tidemark {

struct JsonLine {
  std::uint64_t number = 0;  ///< From 1.
  std::string key;           ///< JSON text as it stands in the line.
  std::string value;         ///< JSON text; "null" for a tombstone.
};

/// Reads one {"key": …, "value": …} object a line, other members ignored, empty lines skipped. Throws Error
/// "lines.cut_off" (last line without an end) or "lines.json", both with the line's number.
class JsonLinesReader {
 public:
  explicit JsonLinesReader(std::istream& input) : m_input(input) {}
  bool next(JsonLine& line);

 private:
  std::istream& m_input;
  std::uint64_t m_number = 0;
};

}  // namespace tidemark
