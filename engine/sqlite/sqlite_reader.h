#pragma once

#include <memory>

#include "engine/apply/sink.h"
#include "engine/keys/key_list.h"
#include "engine/sqlite/sqlite_connection.h"

namespace tidemark::sqlite {

/// The reading half of the sink on one connection: reader and sink answer alike.
class Reading {
 public:
  explicit Reading(Connection& connection) : m_connection(connection) {}

  std::vector<Finding> inspect(const TableMapping& mapping, bool readOnly);
  std::optional<Lineage> storedLineage(const TableMapping& mapping);
  std::optional<Position> newestPosition(const TableMapping& mapping);
  std::optional<Position> lowestPosition(const TableMapping& mapping);
  std::uint64_t countLive(const TableMapping& mapping, const Scope& scope);
  std::uint64_t countMarkers(const TableMapping& mapping, const KeyRange& range);
  std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                  const Position& boundary, bool withPayload);
  std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys);
  std::string describeConnection();

  bool hasTable(const std::string& name);
  /// The stored row of one key, marker or live.
  std::optional<StoredRow> readKey(const TableMapping& mapping, const Key& key);

 private:
  std::optional<Position> onePosition(const TableMapping& mapping, const std::string& sql);

  Connection& m_connection;
};

/// How a mapping's table is called in the prefixed tables.
std::string tableId(const TableMapping& mapping);

/// A key as the prefixed tables hold it: parts escaped as in COPY text, apart by tabs.
std::string keyText(const Key& key);
Key keyFromText(const std::string& text);

}  // namespace tidemark::sqlite
