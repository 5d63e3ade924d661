#include "engine/postgres/postgres_apply.h"

#include <algorithm>
#include <charconv>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "engine/postgres/array_text.h"
#include "engine/postgres/postgres_apply_sql.h"
#include "engine/postgres/postgres_read_sql.h"
#include "engine/postgres/postgres_reads.h"
#include "engine/postgres/postgres_schema.h"
#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

namespace {

constexpr int kAttempts = 6;
constexpr std::string_view kUniqueViolation = "23505";

std::vector<std::int64_t> listAt(const Result& result, std::size_t column) {
  return result.isNull(0, column) ? std::vector<std::int64_t>{} : readNumbers(result.text(0, column));
}

std::uint64_t countAt(const Result& result, std::size_t column) {
  return static_cast<std::uint64_t>(result.number(0, column));
}

void checkShape(const TableMapping& mapping, const Change& change) {
  if (change.key.size() != mapping.key.size()) {
    throw Error("sink.key", "a change of " + mapping.sink.display() + " has " + std::to_string(change.key.size()) +
                                " key values, but the key has " + std::to_string(mapping.key.size()) + " columns");
  }
  if (!change.deleted && change.payload.size() != mapping.payload.size()) {
    throw Error("sink.payload", "a row of " + std::to_string(change.payload.size()) + " columns does not fit the " +
                                    std::to_string(mapping.payload.size()) + " payload columns of " +
                                    mapping.sink.display());
  }
}

/// Appends a row's key, payload, position and marker as COPY text.
class RowWriter {
 public:
  explicit RowWriter(const TableMapping& mapping) : m_mapping(mapping), m_positions(positionColumnsOf(mapping)) {
    // A marker has no payload, and a left-out value reaches a column only where there is no stored row.
    for (const ColumnPair& pair : mapping.payload) {
      const auto filler = mapping.fillers.find(pair.sink);
      m_absent.push_back(filler == mapping.fillers.end() ? Cell::null() : Cell::of(filler->second));
    }
  }

  void append(std::string& line, const Change& change) const {
    for (const std::string& value : change.key) {
      appendCopyText(line, value);
      line += '\t';
    }
    for (std::size_t i = 0; i < m_mapping.payload.size(); ++i) {
      appendCopyCell(line, change.deleted || change.payload[i].isLeftOut() ? m_absent[i] : change.payload[i]);
      line += '\t';
    }
    for (const PositionColumn& column : m_positions) {
      appendNumber(line, change.position.element.at(column.element));
      line += '\t';
    }
    line += change.deleted ? "t\n" : "f\n";
  }

  static void appendNumber(std::string& line, std::int64_t number) {
    char digits[24];
    line.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }

 private:
  const TableMapping& m_mapping;
  std::vector<PositionColumn> m_positions;
  std::vector<Cell> m_absent;
};

}  // namespace

/// What is known of the batch in hand, by row number.
struct GuardedApply::Batch {
  CollapsedBatch collapsed;  ///< Owns the changes of the parts unless the batch is a plain one.
  std::vector<ApplyPart> parts;
  ApplyCounts counts;
  NotedKeys doubtful;
  NotedKeys incomplete;
  std::vector<const Change*> rows;
  std::vector<std::size_t> partOf;

  static void note(NotedKeys& noted, const Change& change) {
    const auto [at, isNew] = noted.try_emplace(change.key, change.position);
    if (!isNew && at->second < change.position) at->second = change.position;
  }

  /// Adds one answer of guardedWrite or classifyRows.
  void count(const Result& answer) {
    counts.inserted += countAt(answer, kInserted);
    counts.updated += countAt(answer, kUpdated);
    counts.markedDeleted += countAt(answer, kMarkedDeleted);
    counts.skippedOlder += countAt(answer, kSkippedOlder);
    counts.skippedEqual += countAt(answer, kSkippedEqual);
    for (const std::int64_t row : listAt(answer, kDoubtfulRows)) {
      ++counts.doubtful;
      note(doubtful, *rows.at(static_cast<std::size_t>(row)));
    }
    for (const std::int64_t row : listAt(answer, kIncompleteRows)) {
      ++counts.incomplete;
      note(incomplete, *rows.at(static_cast<std::size_t>(row)));
    }
  }
};

GuardedApply::Staging& GuardedApply::stagingFor(const TableMapping& mapping) {
  const std::string definition = stagingDefinition(mapping);
  const auto known = m_staging.find(definition);
  if (known != m_staging.end()) return known->second;
  const std::string name = "tidemark_staging_" + std::to_string(m_staging.size() + 1);
  m_connection.exec(createStaging(mapping, name));
  return m_staging.emplace(definition, Staging{name, {}}).first->second;
}

ApplyResult GuardedApply::apply(const TableMapping& mapping, std::span<const Change> batch) {
  if (batch.empty()) return {};
  for (const Change& change : batch) checkShape(mapping, change);
  Staging& staging = stagingFor(mapping);
  for (int attempt = 1;; ++attempt) {
    try {
      m_connection.begin();
      ApplyResult result = applyOnce(mapping, staging, batch);
      const ApplyCounts& counts = result.counts;
      if (counts.total() != batch.size()) {
        throw Error("sink.count", "of " + std::to_string(batch.size()) + " changes of " + mapping.sink.display() + " " +
                                      std::to_string(counts.total()) + " were accounted for; nothing was applied");
      }
      m_connection.commit();
      staging.habit.learn(counts);
      return result;
    } catch (const Error& error) {
      m_connection.rollback();
      if (error.detail().systemCode == kUniqueViolation && staging.habit.expectsNewKeys()) {
        staging.habit.metStoredRow();
        continue;
      }
      // Another writer won: nothing of this attempt is left, and the guard makes trying again harmless.
      if (error.code() != "postgres.conflict" || attempt == kAttempts) throw;
    } catch (...) {
      m_connection.rollback();
      throw;
    }
  }
}

std::vector<StoredPosition> GuardedApply::lockStored(const TableMapping& mapping, std::span<const Key> keys) {
  std::vector<StoredPosition> stored;
  const Result result = m_connection.exec(lockKeys(mapping), keyColumns(mapping, keys));
  for (const std::vector<Value>& row : result.rows) {
    StoredPosition entry;
    for (std::size_t i = 0; i < mapping.key.size(); ++i) entry.key.push_back(row.at(i).value_or(""));
    entry.position = positionFromArray(mapping, row.back().value_or("{}"));
    stored.push_back(std::move(entry));
  }
  return stored;
}

ApplyResult GuardedApply::applyOnce(const TableMapping& mapping, const Staging& staging,
                                    std::span<const Change> changes) {
  Batch batch;
  m_connection.execScript(kPinPlan);
  const std::vector<Key> candidates = keysThatMayBeDoubtful(mapping.scheme, changes);
  std::optional<ApplyPart> plain = candidates.empty() ? plainPart(mapping, changes) : std::nullopt;
  if (plain) {
    batch.parts.push_back(std::move(*plain));
    applyPlain(mapping, staging, batch);
  } else {
    if (candidates.empty()) {
      batch.collapsed = collapse(changes);
    } else {
      const SettledBatch settled = settleDoubt(mapping.scheme, changes, lockStored(mapping, candidates));
      batch.counts.doubtful = settled.doubtful.size();
      for (const Change& change : settled.doubtful) Batch::note(batch.doubtful, change);
      batch.collapsed = collapse(settled.rest);
    }
    batch.counts.collapsed = batch.collapsed.collapsed;
    batch.parts = partsOf(mapping, batch.collapsed);
    applyParts(mapping, staging, batch, batch.collapsed.earlier.empty());
  }
  noteKeys(m_connection, mapping, batch.doubtful, "doubtful");
  noteKeys(m_connection, mapping, batch.incomplete, "incomplete");
  ApplyResult result;
  result.counts = batch.counts;
  for (const auto& [key, position] : batch.doubtful) result.doubtful.push_back(key);
  for (const auto& [key, position] : batch.incomplete) result.incomplete.push_back(key);
  return result;
}

void GuardedApply::applyPlain(const TableMapping& mapping, const Staging& staging, Batch& batch) {
  if (staging.habit.expectsNewKeys()) {
    insertNew(mapping, batch);
    return;
  }
  if (staging.habit.expectsStale()) {
    takeOutStale(mapping, batch);
    if (batch.parts.front().rows.empty()) return;
  }
  copyRows(mapping, staging, batch);
  if (!staging.habit.expectsUpdates()) {
    writePart(mapping, staging, batch, 0, nullptr);
    return;
  }
  const std::vector<std::int64_t> remaining = updateStored(mapping, staging, batch);
  if (!remaining.empty()) writePart(mapping, staging, batch, 0, &remaining);
}

void GuardedApply::applyParts(const TableMapping& mapping, const Staging& staging, Batch& batch, bool onePass) {
  copyRows(mapping, staging, batch);
  if (!staging.habit.expectsStale() || !onePass) {
    for (std::size_t i = 0; i < batch.parts.size(); ++i) writePart(mapping, staging, batch, i, nullptr);
    return;
  }
  const auto remaining = sortOutStale(mapping, staging, batch);
  for (std::size_t i = 0; i < batch.parts.size(); ++i) {
    if (!remaining[i].empty()) writePart(mapping, staging, batch, i, &remaining[i]);
  }
}

void GuardedApply::insertNew(const TableMapping& mapping, Batch& batch) {
  // The key's unique index is the guard here: nothing is overwritten. So it must be there, and stay to the commit.
  m_connection.exec(requireKeyIndex(mapping));
  const RowWriter writer(mapping);
  CopyIn copy = m_connection.copyIn(copyIntoSink(mapping));
  std::string line;
  for (const Change* change : batch.parts.front().rows) {
    line.clear();
    writer.append(line, *change);
    copy.write(line);
    ++(change->deleted ? batch.counts.markedDeleted : batch.counts.inserted);
  }
  if (const std::uint64_t written = copy.finish(); written != batch.parts.front().rows.size()) {
    throw Error("sink.count", "of " + std::to_string(batch.parts.front().rows.size()) + " rows only " +
                                  std::to_string(written) + " entered " + mapping.sink.display());
  }
}

void GuardedApply::takeOutStale(const TableMapping& mapping, Batch& batch) {
  std::vector<const Change*>& rows = batch.parts.front().rows;
  const std::vector<PositionColumn> positions = positionColumnsOf(mapping);
  Parameters arrays;
  for (std::size_t part = 0; part < mapping.key.size(); ++part) {
    std::vector<std::string> values;
    values.reserve(rows.size());
    for (const Change* change : rows) values.push_back(change->key[part]);
    arrays.emplace_back(arrayText(values));
  }
  for (const PositionColumn& column : positions) {
    std::vector<std::int64_t> values;
    values.reserve(rows.size());
    for (const Change* change : rows) values.push_back(change->position.element.at(column.element));
    arrays.emplace_back(arrayText(values));
  }
  const Result answer = m_connection.exec(compareStored(mapping), arrays);
  batch.count(answer);
  std::vector<const Change*> remaining;
  for (const std::int64_t row : listAt(answer, kUnresolvedRows)) {
    remaining.push_back(rows.at(static_cast<std::size_t>(row)));
  }
  rows = std::move(remaining);
}

std::vector<std::int64_t> GuardedApply::updateStored(const TableMapping& mapping, const Staging& staging,
                                                     Batch& batch) {
  const Result answer =
      m_connection.exec(updateOlder(mapping, staging.name), {std::to_string(batch.parts.front().rows.size())});
  m_connection.execScript(kHashJoin);
  batch.count(answer);
  return listAt(answer, kUnresolvedRows);
}

void GuardedApply::copyRows(const TableMapping& mapping, const Staging& staging, Batch& batch) {
  const RowWriter writer(mapping);
  CopyIn copy = m_connection.copyIn(copyIntoStaging(staging.name));
  std::string line;
  for (std::size_t part = 0; part < batch.parts.size(); ++part) {
    for (const Change* change : batch.parts[part].rows) {
      line.clear();
      RowWriter::appendNumber(line, static_cast<std::int64_t>(batch.rows.size()));
      line += '\t';
      RowWriter::appendNumber(line, static_cast<std::int64_t>(part));
      line += '\t';
      line += change->firstElementNull && !change->isRead ? std::to_string(change->lsn) : "\\N";
      line += '\t';
      writer.append(line, *change);
      copy.write(line);
      batch.rows.push_back(change);
      batch.partOf.push_back(part);
    }
  }
  copy.finish();
}

std::vector<std::vector<std::int64_t>> GuardedApply::sortOutStale(const TableMapping& mapping, const Staging& staging,
                                                                  Batch& batch) {
  const Result answer = m_connection.exec(classifyRows(mapping, staging.name), {Value{}});
  batch.count(answer);
  std::vector<std::vector<std::int64_t>> remaining(batch.parts.size());
  for (const std::int64_t row : listAt(answer, kUnresolvedRows)) {
    remaining[batch.partOf.at(static_cast<std::size_t>(row))].push_back(row);
  }
  return remaining;
}

void GuardedApply::writePart(const TableMapping& mapping, const Staging& staging, Batch& batch, std::size_t part,
                             const std::vector<std::int64_t>* onlyRows) {
  const ApplyPart& rows = batch.parts[part];
  const std::size_t expected = onlyRows != nullptr ? onlyRows->size() : rows.rows.size();
  GuardedWrite write{rows.leftOut, !rows.leftOut.empty(), onlyRows != nullptr};
  Parameters parameters{std::to_string(part), std::to_string(expected)};
  if (onlyRows != nullptr) parameters.push_back(arrayText(*onlyRows));
  Result answer = m_connection.exec(guardedWrite(mapping, staging.name, write), parameters);
  batch.count(answer);
  if (answer.isNull(0, kUnresolvedRows)) return;
  std::string unresolved = answer.text(0, kUnresolvedRows);
  if (write.liveOnly) {
    // What is left has met a marker, which the first pass locked: a left-out column has no value there.
    write.liveOnly = false;
    write.listed = true;
    answer = m_connection.exec(guardedWrite(mapping, staging.name, write),
                               {std::to_string(part), std::to_string(readNumbers(unresolved).size()), unresolved});
    batch.count(answer);
    if (answer.isNull(0, kUnresolvedRows)) return;
    unresolved = answer.text(0, kUnresolvedRows);
  }
  classifyRaced(mapping, staging, batch, unresolved);
}

void GuardedApply::classifyRaced(const TableMapping& mapping, const Staging& staging, Batch& batch,
                                 const std::string& rows) {
  // Another writer's row came in after the statement's snapshot. It is locked by now, and a new snapshot shows it.
  const Result answer = m_connection.exec(classifyRows(mapping, staging.name), {rows});
  if (!answer.isNull(0, kUnresolvedRows)) {
    throw Error("postgres.conflict",
                "rows of " + mapping.sink.display() + " were removed by somebody else while a batch was applied",
                {.hint = "Find out who deletes rows of the sink: a guard without markers cannot protect it.",
                 .retryCanHelp = true});
  }
  batch.count(answer);
}

}  // namespace tidemark::postgres
