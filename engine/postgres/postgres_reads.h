#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/spare_session.h"

namespace tidemark::postgres {

/// A transaction that cannot write, around one or several reads that shall see one state. Takes part in a
/// transaction that is already open. Ends with the scope.
class ReadTransaction {
 public:
  explicit ReadTransaction(Connection& connection);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

 private:
  Connection& m_connection;
  bool m_owner;
};

/// Turns one stored row of text (key, payload, position, marker) into a value; the payload may be missing.
StoredRow storedRowOf(const TableMapping& mapping, std::vector<Cell>& cells, bool withPayload);
/// The same into a row that may have been used before: its memory and that of the cells change hands.
void readStoredRow(const TableMapping& mapping, std::vector<Cell>& cells, bool withPayload, StoredRow& row);

/// One array a key column: the parameters of selectKeys and lockKeys.
Parameters keyColumns(const TableMapping& mapping, std::span<const Key> keys);

/// The reading half of a sink, on one session. The connection must outlive it.
class PostgresReads {
 public:
  explicit PostgresReads(Connection& connection)
      : m_connection(connection), m_sessions(std::make_shared<SpareSession>(connection.connectionString())) {}

  TableShape describe(const TableName& table);
  std::optional<Lineage> storedLineage(const TableMapping& mapping);
  std::optional<Position> newestPosition(const TableMapping& mapping);
  std::optional<Position> lowestPosition(const TableMapping& mapping);
  std::uint64_t countLive(const TableMapping& mapping, const Scope& scope);
  std::uint64_t countMarkers(const TableMapping& mapping, const KeyRange& range);
  /// Streams on a session of its own, so that the reader stays usable meanwhile.
  std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                  const Position& boundary, bool withPayload);
  std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys);
  std::optional<RangeDigest> digest(const TableMapping& mapping, const Scope& scope, const DigestMethod& method);
  std::vector<DigestMethod> digestMethods(const TableMapping& mapping);
  void checkFilter(const TableMapping& mapping, const std::string& condition);
  std::string describeConnection();

 private:
  std::uint64_t count(const std::string& sql);
  std::optional<Position> position(const TableMapping& mapping, const std::string& sql);

  Connection& m_connection;
  std::shared_ptr<SpareSession> m_sessions;  ///< For rows().
};

}  // namespace tidemark::postgres
