#include "engine/event/json_lines.h"

#include <optional>
#include <string_view>

#include "engine/core/error.h"

namespace tidemark {

namespace {

/// Walks over one JSON text without building anything, strict in structure and numbers. Key and value are handed on as
/// they stand, so that decoding reads each of them once.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : m_text(text) {}

  struct Failure {
    std::string reason;
    bool atEnd = false;  ///< The text stopped in the middle.
  };

  /// The members of the line's object. Throws Failure.
  void scanLine(std::optional<std::string_view>& key, std::optional<std::string_view>& value) {
    skipBlanks();
    if (peek() != '{') fail("a line must be an object");
    scanObject(0, [&](std::string_view name, std::string_view text) {
      if (name == "\"key\"") key = text;
      if (name == "\"value\"") value = text;
    });
    skipBlanks();
    if (m_at < m_text.size()) fail("something stands behind the object");
  }

 private:
  static constexpr int kDeepest = 200;

  [[noreturn]] void fail(const std::string& reason) const {
    throw Failure{reason + " (column " + std::to_string(m_at + 1) + ")", m_at >= m_text.size()};
  }
  void skipBlanks() {
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\r')) ++m_at;
  }
  char peek() const {
    if (m_at >= m_text.size()) fail("the line ends in the middle");
    return m_text[m_at];
  }
  void expect(char wanted) {
    if (peek() != wanted) fail(std::string("expected ") + wanted);
    ++m_at;
  }

  void scanValue(int depth) {
    if (depth > kDeepest) fail("it is nested too deep");
    switch (peek()) {
      case '{':
        scanObject(depth, [](std::string_view, std::string_view) {});
        return;
      case '[':
        scanArray(depth);
        return;
      case '"':
        scanString();
        return;
      case 't':
        scanWord("true");
        return;
      case 'f':
        scanWord("false");
        return;
      case 'n':
        scanWord("null");
        return;
      default:
        scanNumber();
    }
  }

  template <typename OnMember>
  void scanObject(int depth, OnMember onMember) {
    expect('{');
    skipBlanks();
    if (peek() == '}') {
      ++m_at;
      return;
    }
    while (true) {
      skipBlanks();
      const std::size_t nameAt = m_at;
      scanString();
      const std::string_view name = m_text.substr(nameAt, m_at - nameAt);
      skipBlanks();
      expect(':');
      skipBlanks();
      const std::size_t valueAt = m_at;
      scanValue(depth + 1);
      onMember(name, m_text.substr(valueAt, m_at - valueAt));
      skipBlanks();
      if (peek() == '}') break;
      expect(',');
    }
    ++m_at;
  }

  void scanArray(int depth) {
    expect('[');
    skipBlanks();
    if (peek() == ']') {
      ++m_at;
      return;
    }
    while (true) {
      skipBlanks();
      scanValue(depth + 1);
      skipBlanks();
      if (peek() == ']') break;
      expect(',');
    }
    ++m_at;
  }

  void scanString() {
    expect('"');
    while (true) {
      const char c = peek();
      ++m_at;
      if (c == '"') return;
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character stands in a string");
      if (c != '\\') continue;
      if (std::string_view("\"\\/bfnrtu").find(peek()) == std::string_view::npos) fail("an escape is not known");
      ++m_at;
    }
  }

  void scanWord(std::string_view word) {
    for (const char c : word) expect(c);
  }

  std::size_t scanDigits() {
    const std::size_t start = m_at;
    while (m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9') ++m_at;
    return m_at - start;
  }

  bool skipOne(std::string_view any) {
    if (m_at >= m_text.size() || any.find(m_text[m_at]) == std::string_view::npos) return false;
    ++m_at;
    return true;
  }

  void scanNumber() {
    skipOne("-");
    if (scanDigits() == 0) fail("expected a value");
    if (skipOne(".") && scanDigits() == 0) fail("a number has no digits behind its point");
    if (skipOne("eE")) {
      skipOne("+-");
      if (scanDigits() == 0) fail("a number has no digits in its exponent");
    }
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

[[noreturn]] void refuse(std::uint64_t number, bool cutOff, const std::string& reason) {
  if (cutOff)
    throw Error("lines.cut_off", "Line " + std::to_string(number) + " is cut off: " + reason + ".",
                {.hint = "The file was not written to its end. Fetch it again; lines before this one may be applied "
                         "again without harm."});
  throw Error("lines.json", "Line " + std::to_string(number) + " is no event: " + reason + ".",
              {.hint = "Each line must be an object {\"key\": …, \"value\": …} in JSON."});
}

}  // namespace

bool JsonLinesReader::next(JsonLine& line) {
  std::string text;
  do {
    if (!std::getline(m_input, text)) {
      if (m_input.bad())
        throw Error("lines.read", "Reading stopped after line " + std::to_string(m_number) + ".",
                    {.hint = "The file or pipe failed: check it and run again.", .retryCanHelp = true});
      return false;
    }
    ++m_number;
  } while (text.find_first_not_of(" \t\r") == std::string::npos);

  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  try {
    Scanner(text).scanLine(key, value);
  } catch (const Scanner::Failure& failure) {
    const bool lastLine = m_input.eof() || m_input.peek() == std::istream::traits_type::eof();
    refuse(m_number, failure.atEnd && lastLine, failure.reason);
  }
  if (!value) refuse(m_number, false, "it has no member value");
  line.number = m_number;
  line.key = key ? std::string(*key) : "null";
  line.value = std::string(*value);
  return true;
}

}  // namespace tidemark
