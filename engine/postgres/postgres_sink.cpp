#include "engine/postgres/postgres_sink.h"

#include "engine/postgres/array_text.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/postgres_apply.h"
#include "engine/postgres/postgres_inspect.h"
#include "engine/postgres/postgres_reads.h"
#include "engine/postgres/postgres_schema.h"
#include "engine/postgres/postgres_schema_sql.h"
#include "engine/postgres/postgres_sql.h"
#include "engine/postgres/postgres_sweep.h"

namespace tidemark {

namespace {

using namespace postgres;

/// Runs something on the sink's table and says so when the table is gone.
template <class Action>
auto onTable(const TableMapping& mapping, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.code() != "postgres.no_table") throw;
    throw Error("sink.no_table", "the sink table " + mapping.sink.display() + " does not exist",
                {.hint = "Check schema and name of the table, and the database.",
                 .technical = error.what(),
                 .systemCode = error.detail().systemCode});
  }
}

/// The reading half, the same for a reader and for a sink.
template <class Interface>
class Reading : public Interface {
 public:
  explicit Reading(const std::string& connection) : m_connection(connection), m_reads(m_connection) {}

  TableShape describe(const TableName& table) override { return m_reads.describe(table); }
  std::vector<Finding> inspect(const TableMapping& mapping, const Scope& scope) override {
    return inspectSink(m_connection, mapping, scope);
  }
  std::optional<Lineage> storedLineage(const TableMapping& mapping) override { return m_reads.storedLineage(mapping); }
  std::optional<Position> newestPosition(const TableMapping& mapping) override {
    return onTable(mapping, [&] { return m_reads.newestPosition(mapping); });
  }
  std::optional<Position> lowestPosition(const TableMapping& mapping) override {
    return onTable(mapping, [&] { return m_reads.lowestPosition(mapping); });
  }
  std::uint64_t countLive(const TableMapping& mapping, const Scope& scope) override {
    return onTable(mapping, [&] { return m_reads.countLive(mapping, scope); });
  }
  std::uint64_t countMarkers(const TableMapping& mapping, const KeyRange& range) override {
    return onTable(mapping, [&] { return m_reads.countMarkers(mapping, range); });
  }
  std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                  const Position& boundary, bool withPayload) override {
    return onTable(mapping, [&] { return m_reads.rows(mapping, scope, which, boundary, withPayload); });
  }
  std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys) override {
    return onTable(mapping, [&] { return m_reads.readKeys(mapping, keys); });
  }
  std::optional<RangeDigest> digest(const TableMapping& mapping, const Scope& scope, DigestMethod method) override {
    return onTable(mapping, [&] { return m_reads.digest(mapping, scope, method); });
  }
  std::vector<DigestMethod> digestMethods(const TableMapping& mapping) override {
    return m_reads.digestMethods(mapping);
  }
  void checkFilter(const TableMapping& mapping, const std::string& condition) override {
    m_reads.checkFilter(mapping, condition);
  }
  std::unique_ptr<SinkReader> cloneReader() override { return openPostgresReader(m_connection.connectionString()); }
  std::string describeConnection() override { return m_reads.describeConnection(); }

 protected:
  Connection m_connection;
  PostgresReads m_reads;
};

class PostgresReader final : public Reading<SinkReader> {
 public:
  explicit PostgresReader(const std::string& connection) : Reading(connection) {
    m_connection.exec("SET default_transaction_read_only TO on");
  }
};

class PostgresSink final : public Reading<Sink> {
 public:
  explicit PostgresSink(const std::string& connection)
      : Reading(connection), m_apply(m_connection), m_sweep(m_connection), m_locks(m_connection) {}

  std::vector<std::string> schemaStatements() override { return missingSchemaStatements(m_connection); }
  void ensureSchema() override { makeSchema(m_connection); }

  void lockTable(const TableMapping& mapping, const LockHolder& holder) override { m_locks.take(mapping, holder); }
  void unlockTable(const TableMapping& mapping, const std::string& runId) override { m_locks.release(mapping, runId); }
  std::optional<LockHolder> lockHolder(const TableMapping& mapping) override { return m_locks.holder(mapping); }
  void breakLock(const TableMapping& mapping) override { m_locks.breakLock(mapping); }

  void storeLineage(const TableMapping& mapping, const Lineage& lineage) override {
    execInSchema(
        m_connection, sql::kStoreLineage,
        {schemaOf(mapping.sink), mapping.sink.name, lineage.system, std::to_string(lineage.timeline), lineage.slot});
  }

  ApplyResult apply(const TableMapping& mapping, std::span<const Change> batch) override {
    return onTable(mapping, [&] { return m_apply.apply(mapping, batch); });
  }

  std::vector<Key> keysToRead(const TableMapping& mapping, std::size_t limit) override {
    const ReadTransaction transaction(m_connection);
    if (!schemaIsThere(m_connection)) return {};
    const Result result = execInSchema(m_connection, readNotedKeys(mapping),
                                       {schemaOf(mapping.sink), mapping.sink.name, std::to_string(limit)});
    std::vector<Key> keys;
    for (std::size_t i = 0; i < result.rows.size(); ++i) keys.push_back(readKey(result.text(i, 0)));
    return keys;
  }
  void noteKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const std::string& reason) override {
    NotedKeys noted;
    for (const Key& key : keys) noted.emplace(key, kNoPosition);
    noteKeys(m_connection, mapping, noted, reason);
  }
  void clearKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const Position& readAt) override {
    clearKeys(m_connection, mapping, keys, readAt);
  }

  SweepPreview previewSweep(const TableMapping& mapping, const SweepRequest& request, KeyListReader& keys,
                            std::stop_token stop, ProgressSink& progress) override {
    return onTable(mapping, [&] { return m_sweep.preview(mapping, request, keys, stop, progress); });
  }
  std::string sweepStatement(const TableMapping& mapping, const SweepRequest& request) override {
    return m_sweep.statement(mapping, request);
  }
  SweepResult commitSweep(const TableMapping& mapping, const SweepRequest& request, std::uint64_t tolerance) override {
    return onTable(mapping, [&] { return m_sweep.commit(mapping, request, tolerance); });
  }
  std::uint64_t beforeImages(const std::string& runId) override { return m_sweep.beforeImages(runId); }
  std::vector<Key> beforeImageKeys(const TableMapping& mapping, const std::string& runId) override {
    return m_sweep.beforeImageKeys(mapping, runId);
  }
  UndoResult undoSweep(const TableMapping& mapping, const std::string& runId) override {
    return onTable(mapping, [&] { return m_sweep.undo(mapping, runId); });
  }
  void forgetRun(const std::string& runId) override { m_sweep.forget(runId); }

  std::unique_ptr<Sink> cloneSink() override { return openPostgresSink(m_connection.connectionString()); }

 private:
  GuardedApply m_apply;
  PostgresSweep m_sweep;
  TableLocks m_locks;
};

}  // namespace

std::unique_ptr<Sink> openPostgresSink(const std::string& connection) {
  return std::make_unique<PostgresSink>(connection);
}

std::unique_ptr<SinkReader> openPostgresReader(const std::string& connection) {
  return std::make_unique<PostgresReader>(connection);
}

}  // namespace tidemark
