#include "engine/postgres/filter_text.h"

#include <cctype>
#include <string>

#include "engine/core/error.h"

namespace tidemark::postgres {

namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw Error("filter.does_not_parse", "the filter is no condition: " + reason,
              {"Write one SQL condition on the table's columns, without semicolon or comment: status = 'open'.",
               {},
               {},
               false,
               false});
}

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : m_text(text) {}

  void scan() {
    bool anything = false;
    while (m_at < m_text.size()) {
      const char c = m_text[m_at];
      anything = anything || std::isspace(static_cast<unsigned char>(c)) == 0;
      step(c);
    }
    if (!anything) refuse("it is empty");
    if (m_depth != 0) refuse("a parenthesis is not closed");
  }

 private:
  char next(std::size_t offset = 1) const { return m_at + offset < m_text.size() ? m_text[m_at + offset] : '\0'; }

  void step(char c) {
    if (c == '\0') refuse("it holds a zero byte");
    if (c == ';') refuse("it holds a semicolon");
    if ((c == '-' && next() == '-') || (c == '/' && next() == '*')) refuse("it holds a comment");
    if (c == '(') ++m_depth;
    if (c == ')' && --m_depth < 0) refuse("it closes a parenthesis that it has not opened");
    if (c == '\'') return quoted('\'', isEscapeString());
    if (c == '"') return quoted('"', false);
    if (c == '$') return dollar();
    if (isWord(c)) return word();
    ++m_at;
  }

  void word() {
    m_wordStart = m_at;
    while (m_at < m_text.size() && (isWord(m_text[m_at]) || m_text[m_at] == '$')) ++m_at;
    m_wordEnd = m_at;
  }

  /// E'…' takes backslashes: the quote follows a word that is just E.
  bool isEscapeString() const {
    return m_wordEnd == m_at && m_wordEnd == m_wordStart + 1 &&
           (m_text[m_wordStart] == 'E' || m_text[m_wordStart] == 'e');
  }

  void quoted(char quote, bool backslashes) {
    for (++m_at; m_at < m_text.size(); ++m_at) {
      if (backslashes && m_text[m_at] == '\\') {
        ++m_at;
      } else if (m_text[m_at] == quote) {
        if (next() != quote) {
          ++m_at;
          return;
        }
        ++m_at;
      }
    }
    refuse("a quote is not closed");
  }

  void dollar() {
    if (std::isdigit(static_cast<unsigned char>(next())) != 0) refuse("it holds a parameter");
    std::size_t end = m_at + 1;
    while (end < m_text.size() && isWord(m_text[end])) ++end;
    if (end >= m_text.size() || m_text[end] != '$') refuse("it holds a stray $");
    const std::string_view tag = m_text.substr(m_at, end - m_at + 1);
    const std::size_t close = m_text.find(tag, end + 1);
    if (close == std::string_view::npos) refuse("a quote is not closed");
    m_at = close + tag.size();
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  int m_depth = 0;
  std::size_t m_wordStart = 0;
  std::size_t m_wordEnd = std::string_view::npos;
};

}  // namespace

void requireSelfContained(std::string_view condition) {
  Scanner(condition).scan();
}

}  // namespace tidemark::postgres
