#include "engine/postgres/postgres_certify.h"

#include <random>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/postgres_certify_sql.h"
#include "engine/postgres/postgres_sink.h"
#include "engine/postgres/postgres_sql.h"

namespace tidemark {

namespace {

using namespace postgres;

std::string freshName() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::random_device random;
  std::string name = "certify_";
  for (int i = 0; i < 16; ++i) name += kDigits[random() % 16];
  return name;
}

ColumnPair column(const std::string& name, ColumnKind kind) {
  ColumnPair pair;
  pair.source = name;
  pair.sink = name;
  pair.type.kind = kind;
  pair.type.declared = std::string(castType(kind));
  return pair;
}

class PostgresCertification final : public CertifyDialect {
 public:
  explicit PostgresCertification(const std::string& connection)
      : m_connection(connection), m_sink(openPostgresSink(connection)) {
    m_connection.exec(kCreateDeliveries);
    m_mapping.key = {column("world", ColumnKind::BigInt), column("id", ColumnKind::BigInt)};
    m_mapping.payload = {column("value", ColumnKind::Text)};
    m_mapping.scheme = PositionScheme::Lsn;
    m_mapping.positionColumns = {"position"};
    m_mapping.markerColumn = "deleted";
  }

  void createScratch() override {
    const Value schema = m_connection.scalar(kScratchSchema);
    if (!schema) {
      throw Error("certify.no_scratch", "the role may make a scratch table in no schema of this database",
                  {.hint = "Grant it CREATE on the schema tidemark, or on the database."});
    }
    const std::string name = freshName();
    m_mapping.sink = m_mapping.source = {*schema, name};
    m_connection.scalar(kTryScratchLock, {name});
    if (*schema == "tidemark_scratch") m_connection.exec("CREATE SCHEMA IF NOT EXISTS tidemark_scratch");
    m_connection.exec(createScratchTable(table()));
  }

  void dropScratch() override {
    if (m_mapping.sink.name.empty()) return;
    drop(m_mapping.sink);
    m_mapping.sink = m_mapping.source = {};
  }

  std::vector<std::string> dropLeftovers() override {
    std::vector<std::string> dropped;
    const Result tables = m_connection.exec(kListScratchTables);
    for (std::size_t i = 0; i < tables.rows.size(); ++i) {
      const TableName name{tables.text(i, 0), tables.text(i, 1)};
      if (name == m_mapping.sink) continue;
      if (m_connection.scalar(kTryScratchLock, {name.name}) != "t") continue;  // Somebody is at work with it.
      drop(name);
      dropped.push_back(name.display());
    }
    return dropped;
  }

  void clearScratch() override { m_connection.exec("TRUNCATE " + table()); }
  Sink& sink() override { return *m_sink; }
  const TableMapping& scratchMapping() const override { return m_mapping; }

  void applyBroken(CertifiedSink rule, std::span<const CertifyEvent> batch) override {
    m_connection.begin();
    try {
      copyDeliveries(batch);
      m_connection.execScript(applyBrokenly(rule, table()));
    } catch (...) {
      m_connection.rollback();
      throw;
    }
    m_connection.commit();
  }

  std::vector<CertifyRow> readState() override {
    std::vector<CertifyRow> rows;
    CopyOut copy = m_connection.copyOut(readScratchTable(table()));
    std::string_view line;
    std::vector<Cell> cells;
    while (copy.next(line)) {
      readCopyRow(line, cells);
      CertifyRow row;
      row.world = std::stoll(cells.at(0).text);
      row.id = std::stoll(cells.at(1).text);
      if (cells.at(2).isPresent()) row.value = cells.at(2).text;
      row.deleted = cells.at(3).text == "t";
      row.position = std::stoll(cells.at(4).text);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  std::string table() const { return quoteTable(m_mapping.sink); }

  void drop(const TableName& name) {
    m_connection.exec("DROP TABLE IF EXISTS " + quoteTable(name));
    m_connection.scalar(kReleaseScratchLock, {name.name});
    if (name.schema != "tidemark_scratch") return;
    try {
      m_connection.exec("DROP SCHEMA IF EXISTS tidemark_scratch");
    } catch (const Error& error) {
      // Another certification still has its table in it, or somebody else owns it.
      const std::string& state = error.detail().systemCode;
      if (state != "2BP01" && state != "42501") throw;
    }
  }

  void copyDeliveries(std::span<const CertifyEvent> batch) {
    CopyIn copy = m_connection.copyIn(kCopyDeliveries);
    std::string line;
    std::size_t arrival = 0;
    for (const CertifyEvent& event : batch) {
      line = std::to_string(arrival++) + "\t" + std::to_string(event.world) + "\t" + std::to_string(event.id) +
             (event.deleted ? "\tt\t" : "\tf\t");
      appendCopyCell(line, event.value ? Cell::of(*event.value) : Cell::null());
      line += "\t" + std::to_string(event.position) + "\t" + std::to_string(event.timestamp) + "\n";
      copy.write(line);
    }
    copy.finish();
  }

  Connection m_connection;
  std::unique_ptr<Sink> m_sink;
  TableMapping m_mapping;
};

}  // namespace

std::unique_ptr<CertifyDialect> openPostgresCertification(const std::string& connection) {
  return std::make_unique<PostgresCertification>(connection);
}

}  // namespace tidemark
