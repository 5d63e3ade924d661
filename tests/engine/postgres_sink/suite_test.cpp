#include "engine/postgres/postgres_sql.h"
#include "tests/engine/postgres_sink/postgres_database.h"
#include "tests/support/sink_suite.h"

namespace tidemark::test {
namespace {

/// The behaviour suite's database on the shared server.
class PostgresFixture final : public SinkFixture {
 public:
  std::unique_ptr<Sink> open() override { return openPostgresSink(m_database.connection()); }
  std::unique_ptr<SinkReader> openReader() override { return openPostgresReader(m_database.connection()); }
  void execute(const std::string& sql) override { m_database.sql(sql); }
  std::string declaredType(ColumnKind kind) override {
    std::string type(postgres::castType(kind));
    for (char& c : type) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return type;
  }
  TableName tableName(const std::string& name) override { return {"public", name}; }

 private:
  PostgresDatabase m_database;
};

std::unique_ptr<SinkFixture> makePostgresFixture() {
  return std::make_unique<PostgresFixture>();
}

INSTANTIATE_TEST_SUITE_P(Postgres, SinkSuite, testing::Values(SinkFixtureFactory(makePostgresFixture)));

}  // namespace
}  // namespace tidemark::test
