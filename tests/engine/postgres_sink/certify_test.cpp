#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/postgres/postgres_certify.h"
#include "tests/engine/postgres_sink/postgres_database.h"
#include "tests/support/certify_suite.h"

namespace tidemark::test {
namespace {

TEST(PostgresCertify, GivesTheSameTableAsEveryOtherDatabaseAndLeavesNothingBehind) {
  const PostgresDatabase database;
  NoProgress progress;
  const auto dialect = openPostgresCertification(database.connection());
  expectTheTable(certify(*dialect, {}, progress));
  EXPECT_EQ(database.sql("SELECT count(*) FROM pg_class WHERE relname LIKE 'certify%'"), "0");
  EXPECT_EQ(database.sql("SELECT to_regnamespace('tidemark_scratch') IS NULL"), "t");
}

TEST(PostgresCertify, DropsTheScratchTablesOfDeadCertificationsAlone) {
  const PostgresDatabase database;
  const auto alive = openPostgresCertification(database.connection());
  alive->createScratch();
  auto dead = openPostgresCertification(database.connection());
  dead->createScratch();
  const std::string leftover = dead->scratchMapping().sink.display();
  dead.reset();
  const auto next = openPostgresCertification(database.connection());
  std::vector<std::string> dropped;
  // The server may take a moment to see that a session has ended.
  for (int i = 0; i < 1000 && dropped.empty(); ++i) dropped = next->dropLeftovers();
  EXPECT_EQ(dropped, std::vector<std::string>{leftover});
  alive->clearScratch();
  alive->dropScratch();
  EXPECT_EQ(database.sql("SELECT to_regnamespace('tidemark_scratch') IS NULL"), "t");
}

TEST(PostgresCertify, UsesTheSchemaThatAnAdministratorMade) {
  const PostgresDatabase database;
  const std::string role = "loader_" + database.name();
  database.sql("CREATE SCHEMA tidemark; CREATE ROLE " + role + " LOGIN; GRANT USAGE, CREATE ON SCHEMA tidemark TO " +
               role);
  {
    const auto dialect = openPostgresCertification(database.connectionAs(role));
    dialect->createScratch();
    EXPECT_EQ(dialect->scratchMapping().sink.schema, "tidemark");
    dialect->dropScratch();
    database.sql("REVOKE CREATE ON SCHEMA tidemark FROM " + role);
    try {
      dialect->createScratch();
      ADD_FAILURE() << "made a table without the right to";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "certify.no_scratch");
    }
  }
  database.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

}  // namespace
}  // namespace tidemark::test
