#include "engine/core/error.h"
#include "engine/sqlite/sqlite_sql.h"
#include "engine/sqlite/sqlite_writer.h"

namespace tidemark::sqlite {

std::vector<std::string> Keeping::schemaStatements() {
  std::vector<std::string> statements;
  for (const SchemaTable& table : schemaTables()) {
    if (!m_reading.hasTable(table.name)) statements.push_back(table.create);
  }
  return statements;
}

void Keeping::ensureSchema() {
  if (schemaStatements().empty()) return;
  Transaction transaction(m_connection);
  // Asked again under the write lock: another program may have made them meanwhile.
  for (const std::string& statement : schemaStatements()) m_connection.execute(statement);
  transaction.commit();
}

std::optional<LockHolder> Keeping::lockHolder(const TableMapping& mapping) {
  if (!m_reading.hasTable("tidemark_lock")) return {};
  Statement statement = m_connection.prepare(text::selectLock);
  statement.text(tableId(mapping)).query();
  if (!statement.next()) return {};
  return LockHolder{statement.textAt(0), statement.textAt(1), statement.textAt(2), statement.integerAt(3),
                    statement.textAt(4)};
}

void Keeping::lockTable(const TableMapping& mapping, const LockHolder& holder) {
  Transaction transaction(m_connection);
  const std::optional<LockHolder> present = lockHolder(mapping);
  if (present && present->runId != holder.runId) {
    ErrorDetail detail;
    detail.hint = "Wait until that run has ended, or break its lock when its program is gone for good.";
    throw Error("sink.locked",
                "the table " + mapping.sink.display() + " is driven by run " + present->runId + " of " + present->user +
                    " on " + present->host + ", process " + std::to_string(present->pid) + ", since " + present->since,
                detail);
  }
  m_connection.prepare(text::deleteLock).text(tableId(mapping)).run();
  m_connection.prepare(text::insertLock)
      .text(tableId(mapping))
      .text(holder.runId)
      .text(holder.user)
      .text(holder.host)
      .integer(holder.pid)
      .text(holder.since)
      .run();
  transaction.commit();
}

void Keeping::unlockTable(const TableMapping& mapping, const std::string& runId) {
  m_connection.prepare(text::deleteLockOfRun).text(tableId(mapping)).text(runId).run();
}

void Keeping::breakLock(const TableMapping& mapping) {
  m_connection.prepare(text::deleteLock).text(tableId(mapping)).run();
}

void Keeping::storeLineage(const TableMapping& mapping, const Lineage& lineage) {
  m_connection.prepare(text::insertLineage)
      .text(tableId(mapping))
      .text(lineage.system)
      .integer(lineage.timeline)
      .text(lineage.slot)
      .run();
}

}  // namespace tidemark::sqlite
