#include "engine/postgres/array_text.h"

#include "engine/core/error.h"

namespace tidemark::postgres {

namespace {

void appendElement(std::string& text, std::string_view value) {
  if (text.size() > 1) text += ',';
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

}  // namespace

std::string arrayText(std::span<const std::string> elements) {
  std::string text = "{";
  for (const std::string& element : elements) appendElement(text, element);
  return text + '}';
}

std::string arrayText(std::span<const Cell> cells) {
  std::string text = "{";
  for (const Cell& cell : cells) {
    if (cell.isLeftOut()) throw Error("postgres.left_out", "a column that an event left out has no value to store");
    if (cell.isNull()) {
      text += text.size() > 1 ? ",NULL" : "NULL";
    } else {
      appendElement(text, cell.text);
    }
  }
  return text + '}';
}

std::string arrayText(std::span<const std::int64_t> numbers) {
  std::string text = "{";
  for (const std::int64_t number : numbers) text += (text.size() > 1 ? "," : "") + std::to_string(number);
  return text + '}';
}

std::vector<Cell> readArray(std::string_view text) {
  std::vector<Cell> cells;
  std::size_t at = 1;
  while (at < text.size() && text[at] != '}') {
    std::string value;
    bool quoted = text[at] == '"';
    if (quoted) ++at;
    for (; at < text.size(); ++at) {
      if (quoted ? text[at] == '"' : text[at] == ',' || text[at] == '}') break;
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      value += text[at];
    }
    if (quoted) ++at;
    cells.push_back(!quoted && value == "NULL" ? Cell::null() : Cell::of(std::move(value)));
    if (at < text.size() && text[at] == ',') ++at;
  }
  return cells;
}

std::vector<std::int64_t> readNumbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const Cell& cell : readArray(text)) numbers.push_back(std::stoll(cell.text));
  return numbers;
}

Key readKey(std::string_view text) {
  Key key;
  for (Cell& cell : readArray(text)) key.push_back(std::move(cell.text));
  return key;
}

}  // namespace tidemark::postgres
