#include "tests/engine/sqlite/sqlite_fixture.h"

#include "engine/sqlite/sqlite_sink.h"
#include "engine/sqlite/sqlite_types.h"
#include "tests/support/sqlite_file.h"

namespace tidemark::test {

namespace {

class SqliteFixture final : public SinkFixture {
 public:
  std::unique_ptr<Sink> open() override { return openSqliteSink(m_file.path()); }
  std::unique_ptr<SinkReader> openReader() override { return openSqliteReader(m_file.path()); }
  void execute(const std::string& sql) override { m_file.execute(sql); }
  std::string declaredType(ColumnKind kind) override { return sqlite::declaredType(kind); }
  TableName tableName(const std::string& name) override { return {"", name}; }

 private:
  SqliteFile m_file;
};

}  // namespace

std::unique_ptr<SinkFixture> makeSqliteFixture() {
  return std::make_unique<SqliteFixture>();
}

}  // namespace tidemark::test
