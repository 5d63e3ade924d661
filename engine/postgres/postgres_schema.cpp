#include "engine/postgres/postgres_schema.h"

#include <chrono>
#include <thread>

#include "engine/postgres/array_text.h"
#include "engine/postgres/postgres_schema_sql.h"
#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

namespace {

/// How long a session that was just cut off may take to notice it, before its lock counts as held.
constexpr std::chrono::seconds kGracePeriod{10};

Parameters tableParameters(const TableMapping& mapping) {
  return {schemaOf(mapping.sink), mapping.sink.name};
}

std::string keyTexts(std::span<const Key> keys) {
  std::vector<std::string> texts;
  texts.reserve(keys.size());
  for (const Key& key : keys) texts.push_back(arrayText(key));
  return arrayText(texts);
}

Error lockedError(const TableMapping& mapping, const std::optional<LockHolder>& holder, bool alive) {
  const std::string table = mapping.sink.display();
  if (!holder) {
    return Error("sink.locked", "another session is taking or giving up the lock on " + table,
                 {.hint = "Try again in a moment.", .retryCanHelp = true});
  }
  const std::string who = "run " + holder->runId + " (" + holder->user + " on " + holder->host + ", process " +
                          std::to_string(holder->pid) + ", since " + holder->since + ")";
  if (alive) {
    return Error("sink.locked", table + " is driven by " + who + ", whose session is still connected",
                 {.hint = "Wait for that run to end, or stop it there."});
  }
  return Error("sink.locked", table + " is locked by " + who + ", whose session is gone",
               {.hint = "Resume that run, or break its lock if nobody will."});
}

}  // namespace

std::vector<std::string> missingSchemaStatements(Connection& connection) {
  std::vector<std::string> statements;
  const bool hasSchema = connection.scalar("SELECT to_regnamespace('tidemark') IS NOT NULL") == "t";
  for (const SchemaObject& object : schemaObjects()) {
    if (object.name.empty()) {
      if (!hasSchema) statements.push_back(object.statement);
      continue;
    }
    // The catalogue is asked, not to_regclass: that raises an error for a role without USAGE on the schema.
    const bool there = hasSchema && connection.scalar(
                                        "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = "
                                        "to_regnamespace('tidemark') AND relname = $1)",
                                        {object.name.substr(object.name.find('.') + 1)}) == "t";
    if (!there) statements.push_back(object.statement);
  }
  return statements;
}

void makeSchema(Connection& connection) {
  for (int attempt = 1;; ++attempt) {
    const std::vector<std::string> statements = missingSchemaStatements(connection);
    if (statements.empty()) return;
    connection.begin();
    try {
      for (const std::string& statement : statements) connection.exec(statement);
      connection.commit();
      return;
    } catch (const Error& error) {
      connection.rollback();
      const std::string& state = error.detail().systemCode;
      if (state == "42501") {
        throw Error("sink.schema", "the role may not make the schema tidemark and its tables in the sink",
                    {.hint = "Let an administrator run the statements that are shown, and grant the role USAGE on "
                             "the schema and SELECT, INSERT, UPDATE, DELETE on its tables.",
                     .technical = error.what(),
                     .systemCode = state});
      }
      // Somebody else made it at the same moment: look again.
      const bool madeMeanwhile = state == "42P06" || state == "42P07" || state == "23505";
      if (!madeMeanwhile || attempt == 3) throw;
    }
  }
}

bool schemaIsThere(Connection& connection) {
  return missingSchemaStatements(connection).empty();
}

Result execInSchema(Connection& connection, const std::string& sql, const Parameters& parameters) {
  try {
    return connection.exec(sql, parameters);
  } catch (const Error& error) {
    const std::string& state = error.detail().systemCode;
    if (state != "42P01" && state != "3F000") throw;
    throw Error("sink.no_schema", "the schema tidemark or one of its tables is missing in the sink",
                {.hint = "Make it first: the console shows the statements, and an administrator may run them.",
                 .technical = error.what(),
                 .systemCode = state});
  }
}

std::optional<Lineage> readLineage(Connection& connection, const TableMapping& mapping) {
  if (connection.scalar("SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('tidemark') AND "
                        "relname = 'lineage')") != "t") {
    return {};
  }
  const Result result = connection.exec(sql::kReadLineage, tableParameters(mapping));
  if (result.empty()) return {};
  return Lineage{result.text(0, 0), result.number(0, 1), result.text(0, 2)};
}

void noteKeys(Connection& connection, const TableMapping& mapping, const NotedKeys& keys, const std::string& reason) {
  if (keys.empty()) return;
  std::vector<std::string> texts;
  std::vector<std::string> positions;
  for (const auto& [key, position] : keys) {
    texts.push_back(arrayText(key));
    positions.push_back(arrayText(position.element));
  }
  execInSchema(connection, sql::kNoteKeys,
               {schemaOf(mapping.sink), mapping.sink.name, arrayText(texts), reason, arrayText(positions)});
}

void clearKeys(Connection& connection, const TableMapping& mapping, std::span<const Key> keys, const Position& readAt) {
  if (keys.empty()) return;
  execInSchema(connection, sql::kClearKeys,
               {schemaOf(mapping.sink), mapping.sink.name, keyTexts(keys), arrayText(readAt.element)});
}

bool TableLocks::tryAdvisory(const TableMapping& mapping) {
  const std::string name = mapping.sink.display();
  if (m_held.contains(name)) return true;
  const bool taken = m_connection.scalar(sql::kTryAdvisory, tableParameters(mapping)) == "t";
  if (taken) m_held.insert(name);
  return taken;
}

void TableLocks::releaseAdvisory(const TableMapping& mapping) {
  if (m_held.erase(mapping.sink.display()) > 0) m_connection.exec(sql::kReleaseAdvisory, tableParameters(mapping));
}

void TableLocks::take(const TableMapping& mapping, const LockHolder& holder) {
  const std::optional<LockHolder> current = this->holder(mapping);
  if (current && current->runId != holder.runId) {
    const bool held = m_held.contains(mapping.sink.display());
    const bool alive = !held && !tryAdvisory(mapping);
    if (!held) releaseAdvisory(mapping);
    throw lockedError(mapping, current, alive);
  }
  // A driver that was killed may leave a statement running for a moment: it must end before another one drives.
  const auto giveUp = std::chrono::steady_clock::now() + kGracePeriod;
  while (!tryAdvisory(mapping)) {
    if (std::chrono::steady_clock::now() > giveUp) throw lockedError(mapping, current, true);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const Result taken =
      execInSchema(m_connection, sql::kTakeLock,
                   {schemaOf(mapping.sink), mapping.sink.name, holder.runId, holder.user, holder.host,
                    std::to_string(holder.pid), holder.since, std::to_string(m_connection.backendPid())});
  if (taken.affected == 1) return;
  releaseAdvisory(mapping);
  throw lockedError(mapping, this->holder(mapping), false);
}

void TableLocks::release(const TableMapping& mapping, const std::string& runId) {
  execInSchema(m_connection, sql::kReleaseLock, {schemaOf(mapping.sink), mapping.sink.name, runId});
  releaseAdvisory(mapping);
}

std::optional<LockHolder> TableLocks::holder(const TableMapping& mapping) {
  if (!schemaIsThere(m_connection)) return {};
  const Result result = execInSchema(m_connection, sql::kReadLock, tableParameters(mapping));
  if (result.empty()) return {};
  return LockHolder{result.text(0, 0), result.text(0, 1), result.text(0, 2), result.number(0, 3), result.text(0, 4)};
}

void TableLocks::breakLock(const TableMapping& mapping) {
  const std::optional<LockHolder> current = holder(mapping);
  if (!current) return;
  if (!tryAdvisory(mapping)) {
    throw Error("sink.lock_alive",
                "the lock on " + mapping.sink.display() + " cannot be broken: the session of run " + current->runId +
                    " is still connected",
                {.hint = "Stop that run, or end its session on the server, and try again."});
  }
  execInSchema(m_connection, sql::kBreakLock, tableParameters(mapping));
  releaseAdvisory(mapping);
}

}  // namespace tidemark::postgres
