#include "engine/core/copy_text.h"

#include "engine/core/error.h"

namespace tidemark {

namespace {

/// The letter behind the backslash; 0 for what needs none.
char escapeLetter(char character) {
  switch (character) {
    case '\\':
      return '\\';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\v':
      return 'v';
    default:
      return 0;
  }
}

char plainLetter(char letter) {
  switch (letter) {
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    default:
      return letter;
  }
}

int digitValue(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return 99;
}

/// Reads up to `most` digits of `base` at `at` and moves past them.
char readNumber(std::string_view field, std::size_t& at, int base, int most) {
  int value = 0;
  for (int read = 0; read < most && at < field.size() && digitValue(field[at]) < base; ++read) {
    value = value * base + digitValue(field[at++]);
  }
  return static_cast<char>(value & 0xff);
}

/// Reads what follows a backslash and moves past it.
char readEscape(std::string_view field, std::size_t& at) {
  if (at == field.size()) throw Error("copy.text", "a field ends in the middle of an escape");
  if (digitValue(field[at]) < 8) return readNumber(field, at, 8, 3);
  if (field[at] == 'x' && at + 1 < field.size() && digitValue(field[at + 1]) < 16) {
    ++at;
    return readNumber(field, at, 16, 2);
  }
  return plainLetter(field[at++]);
}

void readText(std::string_view field, std::string& text) {
  text.clear();
  std::size_t start = 0;
  for (std::size_t slash = field.find('\\'); slash != std::string_view::npos; slash = field.find('\\', start)) {
    text.append(field, start, slash - start);
    start = slash + 1;
    text.push_back(readEscape(field, start));
  }
  text.append(field, start);
}

void readCell(std::string_view field, Cell& cell) {
  if (field == "\\N") {
    cell.text.clear();
    cell.state = Cell::State::Null;
  } else {
    readText(field, cell.text);
    cell.state = Cell::State::Present;
  }
}

/// Gives every field of the line, still escaped, to `read` with the place it goes to. A tab inside a value is always
/// escaped, so that every raw tab separates.
template <typename Value, typename Read>
void readFields(std::string_view line, std::vector<Value>& values, Read read) {
  std::size_t count = 0;
  while (true) {
    const std::size_t tab = line.find('\t');
    if (count == values.size()) values.emplace_back();
    read(line.substr(0, tab), values[count++]);
    if (tab == std::string_view::npos) break;
    line.remove_prefix(tab + 1);
  }
  values.resize(count);
}

template <typename Value, typename Append>
void appendFields(std::string& line, const std::vector<Value>& values, Append append) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line.push_back('\t');
    append(line, values[i]);
  }
}

}  // namespace

void appendCopyText(std::string& line, std::string_view field) {
  // Stretches without a special character go over whole: this runs once for every byte that is loaded.
  std::size_t start = 0;
  for (std::size_t at = 0; at < field.size(); ++at) {
    const char letter = escapeLetter(field[at]);
    if (letter == 0) continue;
    line.append(field, start, at - start);
    line.push_back('\\');
    line.push_back(letter);
    start = at + 1;
  }
  line.append(field, start);
}

void appendCopyCell(std::string& line, const Cell& cell) {
  if (cell.isLeftOut()) {
    ErrorDetail detail;
    detail.hint = "This is a defect of the program: report it with the event.";
    throw Error("copy.left_out", "a column that its event left out was about to be written", detail);
  }
  if (cell.isNull())
    line.append("\\N");
  else
    appendCopyText(line, cell.text);
}

void appendCopyRow(std::string& line, const Row& row) {
  appendFields(line, row, appendCopyCell);
}

void appendCopyKey(std::string& line, const Key& key) {
  appendFields(line, key, appendCopyText);
}

void readCopyRow(std::string_view line, Row& row) {
  readFields(line, row, readCell);
}

void readCopyKey(std::string_view line, Key& key) {
  readFields(line, key, readText);
}

}  // namespace tidemark
