#include "runbook/journal.h"

#include <fstream>

#include "engine/core/error.h"
#include "runbook/codec.h"
#include "runbook/journal_database.h"
#include "runbook/journal_lock.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

constexpr const char* kNoPredecessor = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr int kApplicationId = 0x544d4a31;  // "TMJ1"

const std::vector<std::string>& schema() {
  static const std::vector<std::string> statements{"PRAGMA application_id = " + std::to_string(kApplicationId),
                                                   R"(CREATE TABLE entry (
           sequence INTEGER PRIMARY KEY AUTOINCREMENT,
           time TEXT NOT NULL,
           kind TEXT NOT NULL,
           payload TEXT NOT NULL,
           previous TEXT NOT NULL,
           hash TEXT NOT NULL UNIQUE))",
                                                   R"(CREATE TRIGGER entry_keeps_its_content BEFORE UPDATE ON entry
           BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END)",
                                                   R"(CREATE TRIGGER entry_stays BEFORE DELETE ON entry
           BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END)",
                                                   R"(CREATE TABLE lock (
           one INTEGER PRIMARY KEY CHECK (one = 1),
           run_id TEXT NOT NULL,
           user TEXT NOT NULL,
           host TEXT NOT NULL,
           pid INTEGER NOT NULL,
           since TEXT NOT NULL,
           started TEXT NOT NULL))"};
  return statements;
}

std::string withLength(const std::string& part) {
  return std::to_string(part.size()) + ":" + part;
}

std::uint32_t bigEndian(const unsigned char* bytes, int count) {
  std::uint32_t value = 0;
  for (int index = 0; index < count; ++index) value = (value << 8) | bytes[index];
  return value;
}

std::filesystem::path rollbackFile(const std::filesystem::path& file) {
  return file.string() + "-journal";
}

bool hasRollback(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(rollbackFile(file), ignored) &&
         std::filesystem::file_size(rollbackFile(file), ignored) > 0;
}

[[noreturn]] void torn(const std::filesystem::path& file, const std::string& why) {
  throw Error(
      "journal.torn", text("The journal %1 ends early: %2.", file.string(), why),
      {.hint = text("Restore the file from a copy, or begin a new run: every write of a run may be made again.")});
}

// SQLite would complain of such a file too, but in words that do not tell a short file from a changed one.
void checkLength(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::array<unsigned char, 100> header{};
  input.read(reinterpret_cast<char*>(header.data()), static_cast<std::streamsize>(header.size()));
  if (input.gcount() < static_cast<std::streamsize>(header.size())) {
    torn(file, text("it does not even hold a whole file header"));
  }
  if (std::string(reinterpret_cast<const char*>(header.data()), 15) != "SQLite format 3") {
    throw Error("journal.not_a_journal", text("%1 is not a journal of this program.", file.string()),
                {.hint = text("Name the folder that holds the runs.")});
  }
  const std::uint64_t pageSize = bigEndian(&header[16], 2) == 1 ? 65536 : bigEndian(&header[16], 2);
  const std::uint64_t expected = pageSize * bigEndian(&header[28], 4);
  const std::uint64_t actual = std::filesystem::file_size(file);
  if (actual < expected) {
    torn(file, text("it holds %1 bytes of %2", groupedNumber(actual), groupedNumber(expected)));
  }
}

[[noreturn]] void broken(const std::filesystem::path& file, std::int64_t sequence, const std::string& why) {
  throw Error(
      "journal.chain_broken",
      text("The journal %1 was changed: entry %2 %3.", file.string(), std::to_string(sequence), why),
      {.hint = text("Nothing after the entry before it can be trusted. Keep the file as evidence and begin a new "
                    "run: every write of a run may be made again.")});
}

void verifyChain(const std::filesystem::path& file, const std::vector<JournalEntry>& entries) {
  std::string previous = kNoPredecessor;
  std::int64_t sequence = 0;
  for (const JournalEntry& entry : entries) {
    ++sequence;
    if (entry.sequence != sequence) broken(file, sequence, text("is missing"));
    if (entry.previous != previous) broken(file, sequence, text("does not follow the one before it"));
    if (entry.hash != entryHash(entry))
      broken(file, sequence, text("does not have the content that its hash was made of"));
    previous = entry.hash;
  }
}

}  // namespace

std::string entryHash(const JournalEntry& entry) {
  return sha256Hex(withLength(std::to_string(entry.sequence)) + withLength(entry.time) + withLength(entry.kind) +
                   withLength(entry.payload) + withLength(entry.previous));
}

struct Journal::State {
  std::unique_ptr<JournalDatabase> database;
  std::vector<JournalEntry> entries;
  std::optional<LockHolder> takenOver;
  std::optional<LockHolder> lock;  ///< Ours.
};

namespace {

std::vector<JournalEntry> readEntries(const JournalDatabase& database) {
  std::vector<JournalEntry> entries;
  QSqlQuery query = database.run("SELECT sequence, time, kind, payload, previous, hash FROM entry ORDER BY sequence");
  const auto column = [&](int index) { return query.value(index).toString().toStdString(); };
  while (query.next()) {
    entries.push_back({query.value(0).toLongLong(), column(1), column(2), column(3), column(4), column(5)});
  }
  return entries;
}

void requireJournal(const JournalDatabase& database) {
  QSqlQuery application = database.run("PRAGMA application_id");
  if (application.next() && application.value(0).toInt() == kApplicationId) return;
  throw Error("journal.not_a_journal", text("%1 is not a journal of this program.", database.file().string()),
              {.hint = text("Name the folder that holds the runs.")});
}

// SQLite keeps the highest number it ever gave; entries that were cut off the end therefore show.
void requireWholeTail(const JournalDatabase& database, const std::vector<JournalEntry>& entries) {
  QSqlQuery query = database.run("SELECT seq FROM sqlite_sequence WHERE name = 'entry'");
  const std::int64_t highest = query.next() ? query.value(0).toLongLong() : 0;
  const std::int64_t last = entries.empty() ? 0 : entries.back().sequence;
  if (last < highest) {
    torn(database.file(),
         text("entry %1 was written, but the last one is %2", std::to_string(highest), std::to_string(last)));
  }
}

// Without a rollback journal of SQLite's own beside it, an integrity check finds a page that was lost or swapped.
void requireSoundPages(const JournalDatabase& database) {
  QSqlQuery query = database.run("PRAGMA quick_check(1)");
  const std::string found = query.next() ? query.value(0).toString().toStdString() : std::string();
  if (found != "ok") torn(database.file(), found);
}

}  // namespace

Journal::Journal(std::unique_ptr<State> state) : m_state(std::move(state)) {}

Journal::~Journal() {
  if (!m_state->lock) return;
  try {
    releaseLock(*m_state->database, *m_state->lock);
  } catch (const Error&) {
    // A lock that stays is taken over by the next driver, because this process is gone then.
  }
}

std::unique_ptr<Journal> Journal::create(const std::filesystem::path& file, const LockHolder& holder) {
  if (std::filesystem::exists(file)) {
    throw Error("journal.exists", text("There is a journal at %1 already.", file.string()),
                {.hint = text("Open that run, or begin one in another folder.")});
  }
  auto state = std::make_unique<State>();
  state->database = std::make_unique<JournalDatabase>(file, false);
  state->database->run("PRAGMA synchronous = FULL");
  JournalTransaction transaction(*state->database);
  for (const std::string& statement : schema()) state->database->run(statement);
  takeLock(*state->database, holder);
  transaction.commit();
  state->lock = holder;
  return std::unique_ptr<Journal>(new Journal(std::move(state)));
}

std::unique_ptr<Journal> Journal::open(const std::filesystem::path& file, Access access, const LockHolder& holder) {
  if (!std::filesystem::exists(file)) {
    throw Error("journal.not_found", text("There is no journal at %1.", file.string()),
                {.hint = text("List the runs of this folder, or name another one.")});
  }
  // A process that was killed while it wrote leaves a rollback file: only a writer can put the journal right again.
  const bool recover = hasRollback(file);
  if (!recover) checkLength(file);
  auto state = std::make_unique<State>();
  state->database = std::make_unique<JournalDatabase>(file, access == Access::ReadOnly && !recover);
  state->database->run("PRAGMA synchronous = FULL");
  requireJournal(*state->database);
  requireSoundPages(*state->database);
  if (access == Access::Drive) {
    JournalTransaction transaction(*state->database);
    state->takenOver = takeLock(*state->database, holder);
    transaction.commit();
    state->lock = holder;
  }
  std::unique_ptr<Journal> journal(new Journal(std::move(state)));
  journal->m_state->entries = readEntries(*journal->m_state->database);
  verifyChain(file, journal->m_state->entries);
  requireWholeTail(*journal->m_state->database, journal->m_state->entries);
  return journal;
}

const JournalEntry& Journal::append(const RunEvent& event) {
  JournalEntry entry;
  entry.sequence = static_cast<std::int64_t>(m_state->entries.size()) + 1;
  entry.time = event.time;
  entry.kind = eventName(event.kind);
  entry.payload = encodeEvent(event);
  entry.previous = head();
  entry.hash = entryHash(entry);
  JournalTransaction transaction(*m_state->database);
  m_state->database->run("INSERT INTO entry (sequence, time, kind, payload, previous, hash) VALUES (?, ?, ?, ?, ?, ?)",
                         {static_cast<qlonglong>(entry.sequence), QString::fromStdString(entry.time),
                          QString::fromStdString(entry.kind), QString::fromStdString(entry.payload),
                          QString::fromStdString(entry.previous), QString::fromStdString(entry.hash)});
  transaction.commit();
  return m_state->entries.emplace_back(std::move(entry));
}

const std::vector<JournalEntry>& Journal::entries() const {
  return m_state->entries;
}

std::vector<RunEvent> Journal::events() const {
  std::vector<RunEvent> result;
  result.reserve(m_state->entries.size());
  for (const JournalEntry& each : m_state->entries) result.push_back(decodeEvent(each.kind, each.time, each.payload));
  return result;
}

std::string Journal::head() const {
  return m_state->entries.empty() ? kNoPredecessor : m_state->entries.back().hash;
}

std::optional<LockHolder> Journal::takenOver() const {
  return m_state->takenOver;
}

std::optional<LockHolder> Journal::holder() const {
  return readLock(*m_state->database);
}

void Journal::limitSize(std::uint64_t bytes) {
  QSqlQuery query = m_state->database->run("PRAGMA page_size");
  const std::uint64_t pageSize = query.next() ? query.value(0).toULongLong() : 4096;
  query.finish();
  m_state->database->run("PRAGMA max_page_count = " + std::to_string(std::max<std::uint64_t>(1, bytes / pageSize)));
}

void Journal::breakLock(const std::filesystem::path& file) {
  JournalDatabase database(file, false);
  requireJournal(database);
  database.run("DELETE FROM lock");
}

const std::filesystem::path& Journal::file() const {
  return m_state->database->file();
}

}  // namespace tidemark::runbook
