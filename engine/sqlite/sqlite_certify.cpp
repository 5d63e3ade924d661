#include "engine/sqlite/sqlite_certify.h"

#include <atomic>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/sqlite/sqlite_connection.h"
#include "engine/sqlite/sqlite_sink.h"
#include "engine/sqlite/sqlite_sql.h"

namespace tidemark {

namespace {

using namespace sqlite;

const std::string kPrefix = "tidemark_scratch_";

// By key first: the delete of the broken rule looks each stored row up in the batch.
const std::string kCreateBatch =
    "CREATE TEMP TABLE IF NOT EXISTS certify_batch (world BIGINT NOT NULL, id BIGINT NOT NULL, "
    "arrival INTEGER NOT NULL, value TEXT, deleted BOOLEAN NOT NULL, position BIGINT NOT NULL, "
    "ts_ms BIGINT NOT NULL, PRIMARY KEY (world, id, arrival)) WITHOUT ROWID";
const std::string kInsertBatch =
    "INSERT INTO temp.certify_batch (arrival, world, id, value, deleted, position, ts_ms) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)";
const std::string kEmptyBatch = "DELETE FROM temp.certify_batch";
const std::string kScratchTables =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 17) = 'tidemark_scratch_'";

std::string createScratchSql(const std::string& table) {
  return "CREATE TABLE " + quote(table) +
         " (world BIGINT NOT NULL, id BIGINT NOT NULL, value TEXT, position BIGINT NOT NULL, "
         "deleted BOOLEAN NOT NULL, ts_ms BIGINT, PRIMARY KEY (world, id))";
}

/// One row a key of the batch, the first by `order`.
std::string upsertSql(const std::string& table, const std::string& order, const std::string& which,
                      const std::string& guard) {
  return "INSERT INTO " + quote(table) +
         " AS stored (world, id, value, deleted, position, ts_ms)\n"
         "SELECT world, id, value, deleted, position, ts_ms FROM (\n"
         "  SELECT *, row_number() OVER (PARTITION BY world, id ORDER BY " +
         order + ") AS place FROM temp.certify_batch WHERE " + which +
         ")\nWHERE place = 1\nON CONFLICT (world, id) DO UPDATE SET value = excluded.value, "
         "deleted = excluded.deleted, position = excluded.position, ts_ms = excluded.ts_ms" +
         (guard.empty() ? "" : "\nWHERE " + guard);
}

std::vector<std::string> brokenSql(CertifiedSink rule, const std::string& table) {
  switch (rule) {
    case CertifiedSink::NoGuard:
      return {upsertSql(table, "arrival DESC", "true", {})};
    case CertifiedSink::NewestTimestamp:
      return {upsertSql(table, "ts_ms DESC, arrival DESC", "true", "stored.ts_ms <= excluded.ts_ms")};
    case CertifiedSink::NewestTimestampStrict:
      return {upsertSql(table, "ts_ms DESC, arrival DESC", "true", "stored.ts_ms < excluded.ts_ms")};
    case CertifiedSink::PhysicalDelete:
      return {"DELETE FROM " + quote(table) +
                  " AS stored WHERE EXISTS (SELECT 1 FROM temp.certify_batch d WHERE d.deleted = 1 AND "
                  "d.world = stored.world AND d.id = stored.id AND stored.position < d.position)",
              upsertSql(table, "position DESC, arrival", "deleted = 0", "stored.position < excluded.position")};
    case CertifiedSink::Guarded:
      break;
  }
  throw Error("certify.rule", "the guarded sink is certified through its own apply");
}

/// Tells two lives of one process id apart; empty when there is no such process.
std::string startOf(long pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  // The name in brackets may hold blanks; the start time is the twentieth field after it.
  std::size_t at = content.rfind(')');
  if (at == std::string::npos) return {};
  for (int field = 0; field < 20 && at != std::string::npos; ++field) at = content.find(' ', at + 1);
  return at == std::string::npos ? std::string() : content.substr(at + 1, content.find(' ', at + 1) - at - 1);
}

std::string scratchName() {
  static std::atomic<unsigned> next{0};
  const long pid = ::getpid();
  return kPrefix + std::to_string(pid) + "_" + startOf(pid) + "_" + std::to_string(next++);
}

bool stillRunning(const std::string& name) {
  const std::size_t first = name.find('_', kPrefix.size());
  const std::size_t second = first == std::string::npos ? first : name.find('_', first + 1);
  if (second == std::string::npos) return false;
  const long pid = std::strtol(name.c_str() + kPrefix.size(), nullptr, 10);
  return startOf(pid) == name.substr(first + 1, second - first - 1);
}

class SqliteCertification final : public CertifyDialect {
 public:
  explicit SqliteCertification(const std::filesystem::path& file)
      : m_connection(file, Access::ReadWrite), m_sink(openSqliteSink(file)) {
    const ColumnType bigint{ColumnKind::BigInt, "BIGINT", {}};
    m_mapping.key = {{"world", "world", bigint}, {"id", "id", bigint}};
    m_mapping.payload = {{"value", "value", {ColumnKind::Text, "TEXT", {}}}};
    m_mapping.scheme = PositionScheme::Lsn;
    m_mapping.positionColumns = {"position"};
    m_mapping.markerColumn = "deleted";
  }

  void createScratch() override {
    m_mapping.sink.name = scratchName();
    m_connection.execute(kCreateBatch);
    m_connection.execute(createScratchSql(m_mapping.sink.name));
  }

  void dropScratch() override {
    m_connection.forgetCached();
    m_connection.execute("DROP TABLE IF EXISTS " + quote(m_mapping.sink));
  }

  std::vector<std::string> dropLeftovers() override {
    std::vector<std::string> leftovers;
    {
      Statement statement = m_connection.prepare(kScratchTables);
      statement.query();
      while (statement.next()) {
        if (!stillRunning(statement.textAt(0))) leftovers.push_back(statement.textAt(0));
      }
    }
    for (const std::string& name : leftovers) m_connection.execute("DROP TABLE IF EXISTS " + quote(name));
    return leftovers;
  }

  void clearScratch() override { m_connection.execute("DELETE FROM " + quote(m_mapping.sink)); }

  Sink& sink() override { return *m_sink; }
  const TableMapping& scratchMapping() const override { return m_mapping; }

  void applyBroken(CertifiedSink rule, std::span<const CertifyEvent> batch) override {
    Transaction transaction(m_connection);
    m_connection.execute(kEmptyBatch);
    Statement& insert = m_connection.cached(kInsertBatch);
    std::int64_t arrival = 0;
    for (const CertifyEvent& event : batch) {
      insert.integer(arrival++).integer(event.world).integer(event.id);
      if (event.value) {
        insert.text(*event.value);
      } else {
        insert.null();
      }
      insert.integer(event.deleted ? 1 : 0).integer(event.position).integer(event.timestamp).run();
    }
    for (const std::string& sql : brokenSql(rule, m_mapping.sink.name)) m_connection.cached(sql).run();
    transaction.commit();
  }

  std::vector<CertifyRow> readState() override {
    Statement statement = m_connection.prepare("SELECT world, id, value, deleted, position FROM " +
                                               quote(m_mapping.sink) + " ORDER BY world, id");
    std::vector<CertifyRow> rows;
    statement.query();
    while (statement.next()) {
      CertifyRow row{
          statement.integerAt(0), statement.integerAt(1), {}, statement.integerAt(3) != 0, statement.integerAt(4)};
      if (!statement.isNull(2)) row.value = statement.textAt(2);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Connection m_connection;
  std::unique_ptr<Sink> m_sink;
  TableMapping m_mapping;
};

}  // namespace

std::unique_ptr<CertifyDialect> openSqliteCertification(const std::filesystem::path& file) {
  return std::make_unique<SqliteCertification>(file);
}

}  // namespace tidemark
