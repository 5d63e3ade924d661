#pragma once

#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/event/event.h"
#include "engine/event/json_lines.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/postgres_source.h"
#include "tests/stack/logical_stream.h"
#include "tests/stack/postgres_server.h"

namespace tidemark::test {

/// Maps every column of a table onto itself.
inline TableMapping mappingOf(Source& source, const std::string& table) {
  const TableShape shape = source.describe(TableName::parse(table));
  TableMapping mapping;
  mapping.source = mapping.sink = shape.name;
  std::vector<bool> isKey(shape.columns.size(), false);
  for (const std::size_t at : shape.key) {
    isKey[at] = true;
    mapping.key.push_back({shape.columns[at].name, shape.columns[at].name, shape.columns[at].type});
  }
  for (std::size_t at = 0; at < shape.columns.size(); ++at)
    if (!isKey[at]) mapping.payload.push_back({shape.columns[at].name, shape.columns[at].name, shape.columns[at].type});
  mapping.positionColumns = {"pos"};
  mapping.markerColumn = "deleted";
  return mapping;
}

inline std::vector<StoredRow> allRows(RowStream& stream) {
  std::vector<StoredRow> rows;
  StoredRow row;
  while (stream.next(row)) rows.push_back(row);
  return rows;
}

/// "none" when nothing was thrown.
inline Error errorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error("none", "nothing was thrown");
}

/// The law's guard in a few lines: the highest position wins, strictly; deletes stay as markers.
class GuardedTable {
 public:
  void apply(const Key& key, const Row& payload, bool deleted, const Position& position) {
    const auto stored = m_rows.find(key);
    if (stored != m_rows.end() && !(stored->second.position < position)) return;
    m_rows[key] = {key, payload, position, deleted, true};
  }
  void applyReads(const std::vector<StoredRow>& rows, const Position& position) {
    for (const StoredRow& row : rows) apply(row.key, row.payload, false, position);
  }
  void applyChanges(const std::vector<Change>& changes) {
    for (const Change& change : changes) apply(change.key, change.payload, change.deleted, change.position);
  }
  /// First payload column of a live row; "-" when there is none.
  std::string value(const Key& key) const {
    const auto stored = m_rows.find(key);
    if (stored == m_rows.end() || stored->second.deleted) return "-";
    return stored->second.payload.at(0).text;
  }

 private:
  std::map<Key, StoredRow> m_rows;
};

inline std::vector<Change> changesOf(const std::vector<std::string>& lines, const TableMapping& mapping) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  std::istringstream stream(text);
  JsonLinesReader reader(stream);
  const EventDecoder decoder(mapping);
  std::vector<Change> changes;
  for (JsonLine line; reader.next(line);) {
    const Event event = decoder.decode(line.key, line.value);
    if (event.change) changes.push_back(*event.change);
  }
  return changes;
}

/// Polls a question until it answers "t".
inline void waitUntil(postgres::Connection& connection, const std::string& question) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (connection.scalar(question) != "t")
    if (std::chrono::steady_clock::now() > limit) throw std::runtime_error("never came true: " + question);
}

}  // namespace tidemark::test
