#include "tests/stack/decoded_change.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace tidemark::test {

namespace {

class Parser {
 public:
  explicit Parser(const std::string& line) : m_line(line) {}

  DecodedChange parse() {
    expect("table ");
    DecodedChange change;
    change.schema = identifier();
    expect(".");
    change.table = identifier();
    expect(": ");
    if (take("TRUNCATE:")) {
      change.kind = DecodedChange::Kind::Truncate;
    } else if (take("INSERT: ")) {
      change.columns = columns();
    } else if (take("DELETE: ")) {
      change.kind = DecodedChange::Kind::Delete;
      change.oldKey = columns();
    } else if (take("UPDATE: ")) {
      change.kind = DecodedChange::Kind::Update;
      if (take("old-key: ")) change.oldKey = columns();
      take("new-tuple: ");
      change.columns = columns();
    } else {
      fail("an unknown kind of change");
    }
    return change;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw std::runtime_error("test_decoding: " + reason + " at " + std::to_string(m_at) + " of: " + m_line);
  }
  bool at(const char* text) const { return m_line.compare(m_at, std::string(text).size(), text) == 0; }
  bool take(const char* text) {
    if (!at(text)) return false;
    m_at += std::string(text).size();
    return true;
  }
  void expect(const char* text) {
    if (!take(text)) fail(std::string("no '") + text + "'");
  }

  std::string quoted(char quote) {
    std::string text;
    for (++m_at; m_at < m_line.size(); ++m_at) {
      if (m_line[m_at] == quote) {
        if (m_at + 1 >= m_line.size() || m_line[m_at + 1] != quote) {
          ++m_at;
          return text;
        }
        ++m_at;
      }
      text.push_back(m_line[m_at]);
    }
    fail("an open quote");
  }

  std::string identifier() {
    if (at("\"")) return quoted('"');
    const std::size_t end = m_line.find_first_of(".:[", m_at);
    if (end == std::string::npos) fail("a name without an end");
    std::string name = m_line.substr(m_at, end - m_at);
    m_at = end;
    return name;
  }

  std::vector<DecodedColumn> columns() {
    std::vector<DecodedColumn> result;
    if (at("(no-tuple-data)")) fail("a change without its key (replica identity nothing?)");
    while (m_at < m_line.size() && !at("new-tuple: ")) {
      DecodedColumn column;
      column.name = identifier();
      expect("[");
      const std::size_t end = m_line.find("]:", m_at);
      if (end == std::string::npos) fail("a type without an end");
      column.type = m_line.substr(m_at, end - m_at);
      m_at = end + 2;
      readValue(column);
      take(" ");
      result.push_back(std::move(column));
    }
    return result;
  }

  void readValue(DecodedColumn& column) {
    column.state = DecodedColumn::State::Value;
    if (at("'")) {
      column.text = quoted('\'');
      return;
    }
    const std::size_t end = std::min(m_line.find(' ', m_at), m_line.size());
    column.text = m_line.substr(m_at, end - m_at);
    m_at = end;
    if (column.text == "null") column.state = DecodedColumn::State::Null;
    if (column.text == "unchanged-toast-datum") column.state = DecodedColumn::State::LeftOut;
  }

  const std::string& m_line;
  std::size_t m_at = 0;
};

std::string base64(const std::string& bytes) {
  constexpr const char* kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t start = 0; start < bytes.size(); start += 3) {
    unsigned group = 0;
    for (std::size_t part = 0; part < 3; ++part)
      group = group << 8 | (start + part < bytes.size() ? static_cast<unsigned char>(bytes[start + part]) : 0U);
    for (std::size_t part = 0; part < 4; ++part)
      text.push_back(start + part <= bytes.size() ? kAlphabet[group >> (18 - 6 * part) & 63U] : '=');
  }
  return text;
}

std::string bytesOfHex(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 2; at + 1 < hex.size(); at += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
  return bytes;
}

/// "2024-01-01 00:00:00.5+00" as "2024-01-01T00:00:00.5Z".
std::string isoText(std::string text) {
  if (text.find("infinity") != std::string::npos) return text;
  if (text.ends_with("+00")) text.resize(text.size() - 3);
  text[text.find(' ')] = 'T';
  return text + "Z";
}

bool isBareNumber(const std::string& text) {
  return text.find_first_not_of("0123456789.-+e") == std::string::npos;
}

}  // namespace

DecodedChange parseDecodedChange(const std::string& line) {
  return Parser(line).parse();
}

std::string jsonText(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string jsonValue(const DecodedColumn& column) {
  if (column.state == DecodedColumn::State::Null) return "null";
  if (column.state == DecodedColumn::State::LeftOut) return "\"__debezium_unavailable_value\"";
  const std::string& type = column.type;
  const bool number = type == "smallint" || type == "integer" || type == "bigint" || type.starts_with("numeric");
  if (number) return isBareNumber(column.text) ? column.text : jsonText(column.text);
  if (type == "boolean") return column.text;
  if (type.starts_with("timestamp")) return jsonText(isoText(column.text));
  if (type == "bytea") return jsonText(base64(bytesOfHex(column.text)));
  return jsonText(column.text);
}

}  // namespace tidemark::test
