#include "engine/keys/copy_text.h"

#include "engine/core/error.h"

namespace tidemark {

namespace {

constexpr std::string_view kSpecial = "\\\t\n\r\b\f\v";

char escapeLetter(char special) {
  switch (special) {
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
      return special;
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

}  // namespace

void appendCopyText(std::string& out, std::string_view field) {
  while (true) {
    const std::size_t special = field.find_first_of(kSpecial);
    out.append(field.substr(0, special));
    if (special == std::string_view::npos) return;
    out.push_back('\\');
    out.push_back(escapeLetter(field[special]));
    field.remove_prefix(special + 1);
  }
}

void appendCopyCell(std::string& out, const Cell& cell) {
  if (cell.isLeftOut()) {
    throw Error("copy.left_out", "a column that its event left out was about to be written",
                {.hint = "This is a defect of the program: report it with the event.",
                 .technical = {},
                 .systemCode = {},
                 .retryCanHelp = false,
                 .inDoubt = false});
  }
  if (cell.isNull()) {
    out.append("\\N");
  } else {
    appendCopyText(out, cell.text);
  }
}

std::string escapeCopyText(std::string_view field) {
  std::string out;
  out.reserve(field.size());
  appendCopyText(out, field);
  return out;
}

std::string unescapeCopyText(std::string_view field) {
  std::string out;
  out.reserve(field.size());
  for (std::size_t at = 0; at < field.size();) {
    const char letter = field[at++];
    if (letter != '\\') {
      out.push_back(letter);
      continue;
    }
    if (at == field.size()) throw Error("copy.text", "a field ends in the middle of an escape");
    if (digitValue(field[at]) < 8) {
      out.push_back(readNumber(field, at, 8, 3));
    } else if (field[at] == 'x' && at + 1 < field.size() && digitValue(field[at + 1]) < 16) {
      ++at;
      out.push_back(readNumber(field, at, 16, 2));
    } else {
      out.push_back(plainLetter(field[at++]));
    }
  }
  return out;
}

Cell readCopyCell(std::string_view field) {
  return field == "\\N" ? Cell::null() : Cell::of(unescapeCopyText(field));
}

std::vector<std::string_view> splitCopyLine(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

}  // namespace tidemark
