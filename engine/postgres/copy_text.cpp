#include "engine/postgres/copy_text.h"

#include "engine/core/error.h"

namespace tidemark::postgres {

namespace {

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
    default:
      return 0;
  }
}

char unescaped(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return letter;
  }
}

void decodeField(std::string_view field, Cell& cell) {
  cell.text.clear();
  if (field == "\\N") {
    cell.state = Cell::State::Null;
    return;
  }
  cell.state = Cell::State::Present;
  std::size_t start = 0;
  for (std::size_t slash = field.find('\\'); slash != std::string_view::npos; slash = field.find('\\', start)) {
    cell.text.append(field, start, slash - start);
    if (slash + 1 == field.size()) {
      start = slash + 1;
      break;
    }
    cell.text.push_back(unescaped(field[slash + 1]));
    start = slash + 2;
  }
  cell.text.append(field, start);
}

}  // namespace

void appendCopyText(std::string& line, std::string_view value) {
  std::size_t start = 0;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char letter = escapeLetter(value[at]);
    if (letter == 0) continue;
    line.append(value, start, at - start);
    line.push_back('\\');
    line.push_back(letter);
    start = at + 1;
  }
  line.append(value, start);
}

void appendCopyCell(std::string& line, const Cell& cell) {
  if (cell.isLeftOut())
    throw Error("postgres.left_out", "a column that its event left out was about to be written to a table");
  if (cell.isNull())
    line.append("\\N");
  else
    appendCopyText(line, cell.text);
}

void splitCopyLine(std::string_view line, std::vector<Cell>& cells) {
  std::size_t count = 0;
  std::size_t start = 0;
  for (;;) {
    // A tab inside a value is always escaped, so that every raw tab separates.
    const std::size_t tab = line.find('\t', start);
    if (count == cells.size()) cells.emplace_back();
    decodeField(line.substr(start, tab == std::string_view::npos ? tab : tab - start), cells[count++]);
    if (tab == std::string_view::npos) break;
    start = tab + 1;
  }
  cells.resize(count);
}

}  // namespace tidemark::postgres
