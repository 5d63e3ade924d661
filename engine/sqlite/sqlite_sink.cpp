#include "engine/sqlite/sqlite_sink.h"

#include "engine/sqlite/sqlite_catalog.h"
#include "engine/sqlite/sqlite_connection.h"
#include "engine/sqlite/sqlite_reader.h"
#include "engine/sqlite/sqlite_sql.h"
#include "engine/sqlite/sqlite_writer.h"

namespace tidemark {

namespace {

using namespace sqlite;

/// What reader and sink share; Base is SinkReader or Sink.
template <typename Base>
class SqliteBase : public Base {
 public:
  SqliteBase(const std::filesystem::path& file, Access access)
      : m_connection(file, access), m_reading(m_connection), m_readOnly(access == Access::ReadOnly) {}

  TableShape describe(const TableName& table) override { return describeTable(m_connection, table); }
  std::vector<Finding> inspect(const TableMapping& mapping, const Scope&) override {
    return m_reading.inspect(mapping, m_readOnly);
  }
  std::optional<Lineage> storedLineage(const TableMapping& mapping) override {
    return m_reading.storedLineage(mapping);
  }
  std::optional<Position> newestPosition(const TableMapping& mapping) override {
    return m_reading.newestPosition(mapping);
  }
  std::optional<Position> lowestPosition(const TableMapping& mapping) override {
    return m_reading.lowestPosition(mapping);
  }
  std::uint64_t countLive(const TableMapping& mapping, const Scope& scope) override {
    return m_reading.countLive(mapping, scope);
  }
  std::uint64_t countMarkers(const TableMapping& mapping, const KeyRange& range) override {
    return m_reading.countMarkers(mapping, range);
  }
  std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope, SinkRows which,
                                  const Position& boundary, bool withPayload) override {
    return m_reading.rows(mapping, scope, which, boundary, withPayload);
  }
  std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys) override {
    return m_reading.readKeys(mapping, keys);
  }
  /// SQLite has no hash function: verification streams.
  std::optional<RangeDigest> digest(const TableMapping&, const Scope&, DigestMethod) override { return {}; }
  std::vector<DigestMethod> digestMethods(const TableMapping&) override { return {}; }
  void checkFilter(const TableMapping& mapping, const std::string& condition) override {
    checkCondition(m_connection, mapping, condition);
  }
  std::unique_ptr<SinkReader> cloneReader() override { return openSqliteReader(m_connection.file()); }
  std::string describeConnection() override {
    return m_reading.describeConnection() + (m_readOnly ? ", read-only" : "");
  }

 protected:
  Connection m_connection;
  Reading m_reading;
  bool m_readOnly;
};

class SqliteReader final : public SqliteBase<SinkReader> {
 public:
  explicit SqliteReader(const std::filesystem::path& file) : SqliteBase(file, Access::ReadOnly) {}
};

class SqliteSink final : public SqliteBase<Sink> {
 public:
  explicit SqliteSink(const std::filesystem::path& file) : SqliteBase(file, Access::ReadWrite) {}

  std::vector<std::string> schemaStatements() override { return m_keeping.schemaStatements(); }
  void ensureSchema() override { m_keeping.ensureSchema(); }
  void lockTable(const TableMapping& mapping, const LockHolder& holder) override {
    m_keeping.lockTable(mapping, holder);
  }
  void unlockTable(const TableMapping& mapping, const std::string& runId) override {
    m_keeping.unlockTable(mapping, runId);
  }
  std::optional<LockHolder> lockHolder(const TableMapping& mapping) override { return m_keeping.lockHolder(mapping); }
  void breakLock(const TableMapping& mapping) override { m_keeping.breakLock(mapping); }
  void storeLineage(const TableMapping& mapping, const Lineage& lineage) override {
    m_keeping.storeLineage(mapping, lineage);
  }

  ApplyResult apply(const TableMapping& mapping, std::span<const Change> batch) override {
    return m_applying.apply(mapping, batch);
  }
  std::vector<Key> keysToRead(const TableMapping& mapping, std::size_t limit) override {
    return m_applying.keysToRead(mapping, limit);
  }
  void noteKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const std::string& reason) override {
    m_applying.noteKeysToRead(mapping, keys, reason);
  }
  void clearKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const Position& readAt) override {
    m_applying.clearKeysToRead(mapping, keys, readAt);
  }

  SweepPreview previewSweep(const TableMapping& mapping, const SweepRequest& request, KeyListReader& keys,
                            std::stop_token stop, ProgressSink& progress) override {
    return m_sweeping.preview(mapping, request, keys, stop, progress);
  }
  std::string sweepStatement(const TableMapping& mapping, const SweepRequest&) override { return markGhost(mapping); }
  SweepResult commitSweep(const TableMapping& mapping, const SweepRequest& request, std::uint64_t tolerance) override {
    return m_sweeping.commit(mapping, request, tolerance);
  }
  std::uint64_t beforeImages(const std::string& runId) override { return m_sweeping.beforeImages(runId); }
  std::vector<Key> beforeImageKeys(const TableMapping& mapping, const std::string& runId) override {
    return m_sweeping.beforeImageKeys(mapping, runId);
  }
  UndoResult undoSweep(const TableMapping& mapping, const std::string& runId) override {
    return m_sweeping.undo(mapping, runId);
  }
  void forgetRun(const std::string& runId) override { m_sweeping.forgetRun(runId); }
  std::unique_ptr<Sink> cloneSink() override { return openSqliteSink(m_connection.file()); }

 private:
  Keeping m_keeping{m_connection, m_reading};
  Applying m_applying{m_connection, m_reading};
  Sweeping m_sweeping{m_connection, m_reading};
};

}  // namespace

std::unique_ptr<Sink> openSqliteSink(const std::filesystem::path& file) {
  return std::make_unique<SqliteSink>(file);
}

std::unique_ptr<SinkReader> openSqliteReader(const std::filesystem::path& file) {
  return std::make_unique<SqliteReader>(file);
}

}  // namespace tidemark
