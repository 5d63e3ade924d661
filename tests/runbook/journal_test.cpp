#include "runbook/journal.h"

#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>
#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "runbook/run_driver.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {

using namespace runbook;

namespace {

LockHolder me() {
  const Operator who = Operator::current();
  return {"run", who.user, who.host, who.pid, "2026-03-01T09:00:00.000Z"};
}

RunEvent eventOf(EventKind kind, const std::string& text) {
  RunEvent event;
  event.kind = kind;
  event.time = "2026-03-01T09:15:00.125Z";
  event.user = "operator";
  event.text = text;
  return event;
}

/// Runs raw SQL on a journal file, as somebody who tampers with it would.
std::string rawSql(const std::filesystem::path& file, const QStringList& statements) {
  std::string problem;
  {
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "raw");
    database.setDatabaseName(QString::fromStdString(file.string()));
    database.open();
    QSqlQuery query(database);
    for (const QString& statement : statements) {
      if (!query.exec(statement)) problem = query.lastError().text().toStdString();
    }
  }
  QSqlDatabase::removeDatabase("raw");
  return problem;
}

std::string codeOfOpening(const std::filesystem::path& file) {
  try {
    Journal::open(file, Journal::Access::ReadOnly);
    return "opened";
  } catch (const Error& problem) {
    return problem.code();
  }
}

class JournalTest : public testing::Test {
 protected:
  void write(int entries) {
    const auto journal = Journal::create(file, me());
    for (int number = 1; number <= entries; ++number) {
      journal->append(eventOf(EventKind::Disarmed, "entry " + std::to_string(number)));
    }
    head = journal->head();
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "journal.sqlite";
  std::string head;
};

TEST_F(JournalTest, EntriesAreChainedAndReadBackAsTheyWere) {
  write(3);
  const auto journal = Journal::open(file, Journal::Access::ReadOnly);
  ASSERT_EQ(journal->entries().size(), 3u);
  EXPECT_EQ(journal->entries()[0].previous, std::string(64, '0'));
  EXPECT_EQ(journal->entries()[2].previous, journal->entries()[1].hash);
  EXPECT_EQ(journal->head(), head);
  EXPECT_EQ(journal->events()[1].text, "entry 2");
  EXPECT_EQ(journal->events()[1].user, "operator");
}

TEST_F(JournalTest, RefusesToChangeOrRemoveAnEntry) {
  write(2);
  EXPECT_NE(rawSql(file, {"UPDATE entry SET payload = '{}'"}).find("append-only"), std::string::npos);
  EXPECT_NE(rawSql(file, {"DELETE FROM entry"}).find("append-only"), std::string::npos);
  EXPECT_EQ(codeOfOpening(file), "opened");
}

TEST_F(JournalTest, EntryChangedBehindItsBackIsNamed) {
  write(3);
  EXPECT_EQ(rawSql(file, {"DROP TRIGGER entry_keeps_its_content",
                          "UPDATE entry SET payload = replace(payload, 'entry 2', 'entry X') WHERE sequence = 2"}),
            "");
  try {
    Journal::open(file, Journal::Access::ReadOnly);
    FAIL() << "a changed entry was not noticed";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "journal.chain_broken");
    EXPECT_NE(std::string(problem.what()).find("entry 2"), std::string::npos);
  }
}

TEST_F(JournalTest, EntryTakenOutOfTheMiddleBreaksTheChain) {
  write(3);
  EXPECT_EQ(rawSql(file, {"DROP TRIGGER entry_stays", "DELETE FROM entry WHERE sequence = 2"}), "");
  EXPECT_EQ(codeOfOpening(file), "journal.chain_broken");
}

TEST_F(JournalTest, EntriesCutOffTheEndAreMissed) {
  write(3);
  EXPECT_EQ(rawSql(file, {"DROP TRIGGER entry_stays", "DELETE FROM entry WHERE sequence = 3"}), "");
  EXPECT_EQ(codeOfOpening(file), "journal.torn");
}

TEST_F(JournalTest, EveryTruncationIsNoticed) {
  write(3);
  const std::uintmax_t whole = std::filesystem::file_size(file);
  for (std::uintmax_t length = whole; length-- > 0;) {
    std::filesystem::resize_file(file, length);
    ASSERT_EQ(codeOfOpening(file), "journal.torn") << length << " of " << whole;
  }
}

TEST_F(JournalTest, FileOfAnotherKindIsNoJournal) {
  std::ofstream(file) << std::string(200, 'x');
  EXPECT_EQ(codeOfOpening(file), "journal.not_a_journal");
  EXPECT_EQ(codeOfOpening(folder / "nothing.sqlite"), "journal.not_found");
}

TEST_F(JournalTest, FullDiskHalfWritesNothing) {
  write(1);
  const auto journal = Journal::open(file, Journal::Access::Drive, me());
  journal->limitSize(std::filesystem::file_size(file));
  const std::string before = journal->head();
  try {
    journal->append(eventOf(EventKind::Disarmed, std::string(100000, 'x')));
    FAIL() << "wrote beyond the end of the disk";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "journal.disk_full");
    EXPECT_NE(problem.detail().hint, "");
  }
  EXPECT_EQ(journal->head(), before);
  journal->append(eventOf(EventKind::Disarmed, "small"));
  EXPECT_EQ(Journal::open(file, Journal::Access::ReadOnly)->entries().size(), 2u);
}

TEST_F(JournalTest, SecondDriverIsRefusedAndReadersAreNot) {
  const auto journal = Journal::create(file, me());
  try {
    Journal::open(file, Journal::Access::Drive, me());
    FAIL() << "two drivers";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), "journal.locked");
    EXPECT_NE(std::string(problem.what()).find(std::to_string(me().pid)), std::string::npos);
  }
  EXPECT_EQ(Journal::open(file, Journal::Access::ReadOnly)->holder()->pid, me().pid);
}

TEST_F(JournalTest, LockOfAProcessThatIsGoneIsTakenOver) {
  const pid_t child = ::fork();
  if (child == 0) {
    LockHolder holder = me();
    holder.pid = ::getpid();
    const auto journal = Journal::create(file, holder);
    journal->append(eventOf(EventKind::Disarmed, "last words"));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const auto journal = Journal::open(file, Journal::Access::Drive, me());
  ASSERT_TRUE(journal->takenOver());
  EXPECT_EQ(journal->takenOver()->pid, child);
  EXPECT_EQ(journal->entries().size(), 1u);
}

TEST_F(JournalTest, LockOfAnotherHostIsOnlyBrokenKnowingly) {
  LockHolder elsewhere = me();
  elsewhere.host = "another-host";
  // Leave the lock behind as a lost machine would: a copy of the file while it is held.
  const std::filesystem::path copy = folder / "copy.sqlite";
  {
    const auto journal = Journal::create(file, elsewhere);
    std::filesystem::copy_file(file, copy);
  }
  EXPECT_THROW(Journal::open(copy, Journal::Access::Drive, me()), Error);
  Journal::breakLock(copy);
  EXPECT_FALSE(Journal::open(copy, Journal::Access::Drive, me())->takenOver());
}

TEST_F(JournalTest, EventsComeBackEqual) {
  RunEvent event = eventOf(EventKind::EffectFinished, "ü \" \n");
  event.step = 9;
  event.id = "load";
  event.effect = 7;
  event.outcome = Outcome::InDoubt;
  event.planDigest = "abc";
  Gate gate;
  gate.id = "a";
  gate.waiver = Waiver{"reason", "second", "first", "now"};
  event.gates.push_back(gate);
  event.error = RunError{"code", "message", "hint", "technical", "time"};
  const std::string payload = encodeEvent(event);
  const RunEvent back = decodeEvent(std::string(eventName(event.kind)), event.time, payload);
  EXPECT_EQ(encodeEvent(back), payload);
  EXPECT_EQ(back.text, event.text);
  EXPECT_EQ(back.outcome, Outcome::InDoubt);
  EXPECT_EQ(back.gates, event.gates);
  EXPECT_EQ(back.error, event.error);
  EXPECT_THROW(decodeEvent("no_such_kind", "", "{}"), Error);
}

}  // namespace
}  // namespace tidemark::test
