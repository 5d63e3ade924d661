#include <algorithm>

#include "engine/apply/collapse.h"
#include "engine/apply/guard.h"
#include "engine/core/error.h"
#include "engine/sqlite/sqlite_catalog.h"
#include "engine/sqlite/sqlite_sql.h"
#include "engine/sqlite/sqlite_writer.h"

namespace tidemark::sqlite {

namespace {

std::vector<bool> leftOutOf(const TableMapping& mapping, const Change& change) {
  std::vector<bool> leftOut(mapping.payload.size(), false);
  if (change.deleted) return leftOut;
  if (change.payload.size() != mapping.payload.size()) {
    throw Error("sink.payload", "a row of " + std::to_string(change.payload.size()) + " columns does not fit the " +
                                    std::to_string(mapping.payload.size()) + " payload columns of " +
                                    mapping.sink.display());
  }
  for (std::size_t i = 0; i < leftOut.size(); ++i) leftOut[i] = change.payload[i].isLeftOut();
  return leftOut;
}

bool anyLeftOut(const std::vector<bool>& leftOut) {
  return std::ranges::find(leftOut, true) != leftOut.end();
}

void addOnce(std::vector<Key>& keys, const Key& key) {
  if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
}

}  // namespace

ApplyResult Applying::apply(const TableMapping& mapping, std::span<const Change> batch) {
  requireColumns(m_connection, mapping);
  ApplyResult result;
  if (batch.empty()) return result;
  Transaction transaction(m_connection);
  std::vector<StoredPosition> stored;
  for (const Key& key : keysThatMayBeDoubtful(mapping.scheme, batch)) {
    if (const auto row = m_reading.readKey(mapping, key)) stored.push_back({key, row->position});
  }
  const SettledBatch settled = settleDoubt(mapping.scheme, batch, stored);
  const CollapsedBatch collapsed = collapse(settled.rest);
  for (const auto& pass : collapsed.earlier) {
    for (const Change& change : pass) applyOne(mapping, change, result);
  }
  for (const Change& change : collapsed.rows) applyOne(mapping, change, result);
  result.counts.collapsed = collapsed.collapsed;
  result.counts.doubtful = settled.doubtful.size();
  for (const Change& change : settled.doubtful) {
    addOnce(result.doubtful, change.key);
    note(mapping, change.key, "doubtful", change.position);
  }
  transaction.commit();
  return result;
}

void Applying::applyOne(const TableMapping& mapping, const Change& change, ApplyResult& result) {
  const std::vector<bool> leftOut = leftOutOf(mapping, change);
  // Read under the transaction's write lock, so that the counts say what the guarded statement met.
  const std::optional<StoredRow> stored = m_reading.readKey(mapping, change.key);
  Statement& upsert = m_connection.cached(guardedUpsert(mapping, leftOut));
  bindUpsert(upsert, mapping, change);
  ApplyCounts& counts = result.counts;
  if (upsert.run() == 0) {
    ++(stored && stored->position == change.position ? counts.skippedEqual : counts.skippedOlder);
    return;
  }
  if (change.deleted) {
    ++counts.markedDeleted;
    return;
  }
  ++(stored ? counts.updated : counts.inserted);
  const bool nothingToKeep = !stored || stored->deleted;
  if (nothingToKeep && anyLeftOut(leftOut)) {
    ++counts.incomplete;
    addOnce(result.incomplete, change.key);
    note(mapping, change.key, "incomplete", change.position);
  }
}

void Applying::note(const TableMapping& mapping, const Key& key, const std::string& reason, const Position& position) {
  m_connection.cached(text::insertReread)
      .text(tableId(mapping))
      .text(keyText(key))
      .text(reason)
      .integer(position.element[0])
      .integer(position.element[1])
      .integer(position.element[2])
      .run();
}

std::vector<Key> Applying::keysToRead(const TableMapping& mapping, std::size_t limit) {
  std::vector<Key> keys;
  if (!m_reading.hasTable("tidemark_reread")) return keys;
  Statement statement = m_connection.prepare(text::selectReread);
  statement.text(tableId(mapping)).query();
  while (statement.next()) keys.push_back(keyFromText(statement.textAt(0)));
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  std::ranges::sort(keys, [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) < 0; });
  if (keys.size() > limit) keys.resize(limit);
  return keys;
}

void Applying::noteKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const std::string& reason) {
  Transaction transaction(m_connection);
  for (const Key& key : keys) note(mapping, key, reason, kNoPosition);
  transaction.commit();
}

void Applying::clearKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const Position& readAt) {
  Transaction transaction(m_connection);
  Statement statement = m_connection.prepare(text::deleteReread);
  for (const Key& key : keys) {
    statement.text(tableId(mapping))
        .text(keyText(key))
        .integer(readAt.element[0])
        .integer(readAt.element[1])
        .integer(readAt.element[2])
        .run();
  }
  transaction.commit();
}

}  // namespace tidemark::sqlite
