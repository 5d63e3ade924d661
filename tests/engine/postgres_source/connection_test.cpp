#include "engine/postgres/connection.h"

#include <thread>

#include <gtest/gtest.h>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "tests/stack/postgres_server.h"

namespace tidemark::postgres {
namespace {

using test::PostgresServer;

class ConnectionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { s_server = std::make_unique<PostgresServer>(); }
  static void TearDownTestSuite() { s_server.reset(); }
  static Error errorOf(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error;
    }
    return Error("none", "nothing was thrown");
  }
  static std::unique_ptr<PostgresServer> s_server;
};

std::unique_ptr<PostgresServer> ConnectionTest::s_server;

TEST_F(ConnectionTest, FixesTheSessionWhateverTheServerSays) {
  s_server->sql(
      "ALTER ROLE postgres SET TimeZone = 'Asia/Tokyo'; ALTER ROLE postgres SET bytea_output = 'escape';"
      "ALTER ROLE postgres SET DateStyle = 'German'; ALTER ROLE postgres SET extra_float_digits = 0");
  Connection connection(s_server->connection());
  EXPECT_EQ(connection.scalar("SELECT '2024-02-03 04:05:06+00'::timestamptz::text"), "2024-02-03 04:05:06+00");
  EXPECT_EQ(connection.scalar("SELECT '\\x00ff'::bytea::text"), "\\x00ff");
  EXPECT_EQ(connection.scalar("SHOW search_path"), "\"\"");
  EXPECT_EQ(connection.scalar("SHOW application_name"), "tidemark");
  EXPECT_EQ(connection.scalar("SHOW row_security"), "off");
  s_server->sql("ALTER ROLE postgres RESET ALL");
}

TEST_F(ConnectionTest, BindsParametersAndTellsNullFromEmpty) {
  Connection connection(s_server->connection());
  const Result result = connection.exec("SELECT $1::text, $2::text, $3::bigint + 1", {"o'clock", std::nullopt, "41"});
  ASSERT_EQ(result.rows.size(), 1u);
  EXPECT_EQ(result.text(0, 0), "o'clock");
  EXPECT_TRUE(result.isNull(0, 1));
  EXPECT_EQ(result.number(0, 2), 42);
}

TEST_F(ConnectionTest, CopiesEveryAwkwardCharacterInAndOut) {
  Connection connection(s_server->connection());
  connection.execScript("CREATE TEMPORARY TABLE awkward (n int, t text)");
  const std::vector<Cell> values = {Cell::of("tab\tline\nreturn\rback\\slash"),
                                    Cell::of(""),
                                    Cell::null(),
                                    Cell::of("\\N"),
                                    Cell::of("\b\f\v"),
                                    Cell::of("'\"é€\\.")};
  CopyIn in = connection.copyIn("COPY pg_temp.awkward FROM STDIN");
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::string line = std::to_string(row) + "\t";
    appendCopyCell(line, values[row]);
    in.write(line + "\n");
  }
  EXPECT_EQ(in.finish(), values.size());
  CopyOut out = connection.copyOut("COPY (SELECT t FROM pg_temp.awkward ORDER BY n) TO STDOUT");
  std::string_view line;
  std::vector<Cell> cells;
  for (const Cell& value : values) {
    ASSERT_TRUE(out.next(line));
    readCopyRow(line, cells);
    ASSERT_EQ(cells.size(), 1u);
    EXPECT_EQ(cells[0], value);
  }
  EXPECT_FALSE(out.next(line));
}

TEST_F(ConnectionTest, AbandonedCopiesLeaveAUsableSession) {
  Connection connection(s_server->connection());
  connection.execScript("CREATE TEMPORARY TABLE target (n int)");
  {
    CopyIn in = connection.copyIn("COPY pg_temp.target FROM STDIN");
    in.write("1\n");
  }
  EXPECT_EQ(connection.scalar("SELECT count(*) FROM pg_temp.target"), "0");
  {
    CopyOut out = connection.copyOut("COPY (SELECT generate_series(1, 100000000)) TO STDOUT");
    std::string_view line;
    ASSERT_TRUE(out.next(line));
    EXPECT_EQ(line, "1");
  }
  EXPECT_EQ(connection.scalar("SELECT 1"), "1");
}

TEST_F(ConnectionTest, AStopRequestEndsTheRunningStatement) {
  Connection connection(s_server->connection());
  std::stop_source source;
  Connection watcher(s_server->connection());
  std::jthread stopper([&] {
    const std::string pid = std::to_string(connection.backendPid());
    while (watcher.scalar("SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND query LIKE "
                          "'%pg_sleep%'",
                          {pid}) != "1") {
    }
    source.request_stop();
  });
  {
    const StopScope scope = connection.stopScope(source.get_token());
    EXPECT_THROW(connection.exec("SELECT pg_sleep(600)"), Cancelled);
    EXPECT_THROW(connection.exec("SELECT 1"), Cancelled);
  }
  EXPECT_EQ(connection.scalar("SELECT 1"), "1");
}

TEST_F(ConnectionTest, NamesARefusedPasswordWithoutShowingIt) {
  s_server->sql("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD 'right'");
  const Error wrong =
      errorOf([] { Connection(s_server->networkConnection("postgres", "reader") + " password=hunter2secret"); });
  EXPECT_EQ(wrong.code(), "postgres.wrong_password");
  EXPECT_EQ(wrong.detail().systemCode, "28P01");
  EXPECT_FALSE(wrong.detail().hint.empty());
  EXPECT_FALSE(wrong.detail().retryCanHelp);
  EXPECT_EQ((std::string(wrong.what()) + wrong.detail().technical + wrong.detail().hint).find("hunter2"),
            std::string::npos);
  const Error garbled = errorOf([] { Connection("host=localhost password=hunter2secret 'oops"); });
  EXPECT_EQ(garbled.code(), "postgres.connection_string");
  EXPECT_EQ((std::string(garbled.what()) + garbled.detail().technical).find("hunter2"), std::string::npos);
}

TEST_F(ConnectionTest, TellsMissingDatabaseMissingServerAndMissingTableApart) {
  const Error database = errorOf([] { Connection(s_server->connection("nowhere")); });
  EXPECT_EQ(database.code(), "postgres.no_database");
  EXPECT_EQ(database.detail().systemCode, "3D000");
  const Error server = errorOf([] { Connection("host=127.0.0.1 port=1 dbname=postgres user=postgres"); });
  EXPECT_EQ(server.code(), "postgres.unreachable");
  EXPECT_TRUE(server.detail().retryCanHelp);
  Connection connection(s_server->connection());
  const Error table = errorOf([&] { connection.exec("SELECT * FROM public.nothing"); });
  EXPECT_EQ(table.code(), "postgres.no_table");
  EXPECT_EQ(table.detail().systemCode, "42P01");
}

TEST_F(ConnectionTest, ACommitOfAFailedTransactionIsNoCommit) {
  Connection connection(s_server->connection());
  connection.begin();
  EXPECT_THROW(connection.exec("SELECT 1/0"), Error);
  EXPECT_EQ(errorOf([&] { connection.commit(); }).code(), "postgres.rolled_back");
  EXPECT_FALSE(connection.inTransaction());
}

TEST_F(ConnectionTest, ACommitWhoseAnswerIsLostIsInDoubt) {
  Connection connection(s_server->connection());
  connection.execScript("CREATE TABLE IF NOT EXISTS public.doubt (n int); BEGIN; INSERT INTO public.doubt VALUES (1)");
  s_server->sql("SELECT pg_terminate_backend(" + std::to_string(connection.backendPid()) + ", 10000)");
  const Error lost = errorOf([&] { connection.commit(); });
  EXPECT_EQ(lost.code(), "postgres.in_doubt");
  EXPECT_TRUE(lost.detail().inDoubt);
  EXPECT_EQ(errorOf([&] { connection.exec("SELECT 1"); }).code(), "postgres.lost");
}

TEST_F(ConnectionTest, ReadOnlyTransactionsRefuseToWrite) {
  Connection connection(s_server->connection());
  connection.begin(Isolation::RepeatableRead, Access::ReadOnly);
  EXPECT_EQ(connection.scalar("SHOW transaction_isolation"), "repeatable read");
  EXPECT_EQ(errorOf([&] { connection.exec("CREATE TABLE public.never (n int)"); }).detail().systemCode, "25006");
  connection.rollback();
  EXPECT_FALSE(connection.inTransaction());
}

}  // namespace
}  // namespace tidemark::postgres
