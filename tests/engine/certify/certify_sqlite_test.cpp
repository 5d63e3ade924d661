#include <gtest/gtest.h>

#include "engine/certify/certify_log.h"
#include "engine/core/error.h"
#include "engine/sqlite/sqlite_certify.h"
#include "tests/support/certify_suite.h"
#include "tests/support/sqlite_file.h"

namespace tidemark {
namespace {

using test::SqliteFile;

std::vector<std::string> scratchTables(SqliteFile& file) {
  return file.column("SELECT name FROM sqlite_master WHERE name LIKE 'tidemark_scratch%' AND type = 'table'");
}

TEST(CertifySqlite, GivesTheFiguresOfTheTableAndLeavesNothingBehind) {
  SqliteFile file;
  const auto dialect = openSqliteCertification(file.path());
  NoProgress progress;
  test::expectTheTable(certify(*dialect, {}, progress));
  EXPECT_TRUE(scratchTables(file).empty());
}

TEST(CertifySqlite, KeepsTheSmallestCounterexampleOfEachBrokenSink) {
  SqliteFile file;
  const auto dialect = openSqliteCertification(file.path());
  NoProgress progress;
  const Certificate certificate = certify(*dialect, {}, progress);
  ASSERT_EQ(certificate.sinks.size(), 5u);
  EXPECT_FALSE(certificate.sinks[0].smallest.has_value());
  const std::vector<CertifyEvent> overtaken{{0, 1, false, "v7", 114, 1004}, {0, 1, false, "v6", 112, 1003}};
  const std::vector<CertifyEvent> broughtBack{{0, 1, true, {}, 120, 1005}, {0, 1, false, "v8", 118, 1005}};
  ASSERT_TRUE(certificate.sinks[1].smallest && certificate.sinks[2].smallest && certificate.sinks[4].smallest);
  EXPECT_EQ(certificate.sinks[1].smallest->seed, 1u);
  EXPECT_EQ(certificate.sinks[1].smallest->delivery, overtaken);
  EXPECT_EQ(certificate.sinks[2].smallest->seed, 4u);
  EXPECT_EQ(certificate.sinks[2].smallest->delivery, broughtBack);
  EXPECT_EQ(certificate.sinks[4].smallest->seed, 4u);
  EXPECT_EQ(certificate.sinks[4].smallest->delivery, broughtBack);
}

TEST(CertifySqlite, StopsOnRequestAndDropsItsScratchTable) {
  SqliteFile file;
  const auto dialect = openSqliteCertification(file.path());
  std::stop_source stop;
  struct StopAtFirstReport final : ProgressSink {
    explicit StopAtFirstReport(std::stop_source& source) : stop(source) {}
    void report(const Progress&) override { stop.request_stop(); }
    std::stop_source& stop;
  } progress(stop);
  EXPECT_THROW(certify(*dialect, stop.get_token(), progress), Cancelled);
  EXPECT_TRUE(scratchTables(file).empty());
}

TEST(CertifySqlite, DropsItsScratchTableAfterAnError) {
  SqliteFile file;
  const auto dialect = openSqliteCertification(file.path());
  struct BreakIt final : ProgressSink {
    explicit BreakIt(SqliteFile& database) : file(database) {}
    void report(const Progress&) override {
      for (const std::string& table : scratchTables(file)) {
        file.execute("CREATE TRIGGER IF NOT EXISTS full BEFORE INSERT ON " + table +
                     " BEGIN SELECT RAISE(ABORT, 'no more'); END");
      }
    }
    SqliteFile& file;
  } progress(file);
  EXPECT_THROW(certify(*dialect, {}, progress), Error);
  EXPECT_TRUE(scratchTables(file).empty());
}

TEST(CertifySqlite, DropsWhatAKilledCertificationLeftAndNothingElse) {
  SqliteFile file;
  const auto running = openSqliteCertification(file.path());
  running->createScratch();
  const std::vector<std::string> inUse = scratchTables(file);
  file.execute("CREATE TABLE tidemark_scratch_4194305_99_0 (world INTEGER)");
  file.execute("CREATE TABLE customers (id INTEGER)");
  const auto dialect = openSqliteCertification(file.path());
  EXPECT_EQ(dialect->dropLeftovers(), std::vector<std::string>{"tidemark_scratch_4194305_99_0"});
  EXPECT_EQ(scratchTables(file), inUse);
  EXPECT_EQ(file.column("SELECT name FROM sqlite_master WHERE name = 'customers'").size(), 1u);
  running->dropScratch();
}

TEST(Certificate, FailsWhenAControlGoesUncaught) {
  Certificate certificate;
  SinkCertificate clean{"x", true, true, true, 0, 0, 0, {}};
  SinkCertificate caught = clean;
  caught.ordersThatDiffer = 1;
  certificate.sinks = {clean, caught, caught, caught, caught};
  EXPECT_TRUE(certificate.passed());
  certificate.sinks[3] = clean;
  EXPECT_FALSE(certificate.passed());
  certificate.sinks = {caught, caught, caught, caught, caught};
  EXPECT_FALSE(certificate.passed());
}

}  // namespace
}  // namespace tidemark
