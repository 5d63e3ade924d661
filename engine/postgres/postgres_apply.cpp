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

std::vector<bool> leftOutOf(const Change& change) {
  std::vector<bool> leftOut;
  if (change.deleted) return leftOut;
  for (std::size_t i = 0; i < change.payload.size(); ++i) {
    if (!change.payload[i].isLeftOut()) continue;
    leftOut.resize(change.payload.size());
    leftOut[i] = true;
  }
  return leftOut;
}

/// Sorts a pass by key. Numbers are read once: comparing their text ten times each costs more than the COPY.
void sortByKey(const TableMapping& mapping, std::vector<Change>& pass) {
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  const auto isInteger = [](ColumnKind kind) {
    return kind == ColumnKind::SmallInt || kind == ColumnKind::Integer || kind == ColumnKind::BigInt;
  };
  if (kinds.size() != 1 || !isInteger(kinds.front())) {
    std::sort(pass.begin(), pass.end(),
              [&kinds](const Change& a, const Change& b) { return compareKeys(kinds, a.key, b.key) < 0; });
    return;
  }
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  order.reserve(pass.size());
  for (std::size_t i = 0; i < pass.size(); ++i) {
    const std::string& text = pass[i].key.front();
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);  // What is no number the server will refuse.
    order.emplace_back(number, i);
  }
  if (std::is_sorted(order.begin(), order.end())) return;
  std::sort(order.begin(), order.end());
  std::vector<Change> sorted;
  sorted.reserve(pass.size());
  for (const auto& [number, index] : order) sorted.push_back(std::move(pass[index]));
  pass = std::move(sorted);
}

/// Splits each pass by what its rows leave out; the passes stay in order.
std::vector<ApplyPart> partsOf(const TableMapping& mapping, CollapsedBatch&& collapsed) {
  std::vector<std::vector<Change>> passes = std::move(collapsed.earlier);
  passes.push_back(std::move(collapsed.rows));
  std::vector<ApplyPart> parts;
  for (std::vector<Change>& pass : passes) {
    sortByKey(mapping, pass);
    std::map<std::vector<bool>, ApplyPart> byLeftOut;
    for (Change& change : pass) {
      std::vector<bool> leftOut = leftOutOf(change);
      ApplyPart& part = byLeftOut[leftOut];
      part.leftOut = std::move(leftOut);
      part.rows.push_back(std::move(change));
    }
    for (auto& [leftOut, part] : byLeftOut) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

/// What is known of the batch in hand, by row number.
struct GuardedApply::Batch {
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
  return m_staging.emplace(definition, Staging{name, false}).first->second;
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
      staging.mostlyStale = (counts.skippedOlder + counts.skippedEqual) * 2 > batch.size() - counts.collapsed;
      return result;
    } catch (const Error& error) {
      m_connection.rollback();
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
  CollapsedBatch collapsed;
  if (candidates.empty()) {
    collapsed = collapse(changes);
  } else {
    const SettledBatch settled = settleDoubt(mapping.scheme, changes, lockStored(mapping, candidates));
    batch.counts.doubtful = settled.doubtful.size();
    for (const Change& change : settled.doubtful) Batch::note(batch.doubtful, change);
    collapsed = collapse(settled.rest);
  }
  batch.counts.collapsed = collapsed.collapsed;
  const bool onePass = collapsed.earlier.empty();
  batch.parts = partsOf(mapping, std::move(collapsed));
  copyRows(mapping, staging, batch);
  if (staging.mostlyStale && onePass) {
    const auto remaining = sortOutStale(mapping, staging, batch);
    for (std::size_t i = 0; i < batch.parts.size(); ++i) {
      if (!remaining[i].empty()) writePart(mapping, staging, batch, i, &remaining[i]);
    }
  } else {
    for (std::size_t i = 0; i < batch.parts.size(); ++i) writePart(mapping, staging, batch, i, nullptr);
  }
  noteKeys(m_connection, mapping, batch.doubtful, "doubtful");
  noteKeys(m_connection, mapping, batch.incomplete, "incomplete");
  ApplyResult result;
  result.counts = batch.counts;
  for (const auto& [key, position] : batch.doubtful) result.doubtful.push_back(key);
  for (const auto& [key, position] : batch.incomplete) result.incomplete.push_back(key);
  return result;
}

void GuardedApply::copyRows(const TableMapping& mapping, const Staging& staging, Batch& batch) {
  // A marker has no payload, and a left-out value reaches a column only where there is no stored row.
  std::vector<Cell> absent;
  for (const ColumnPair& pair : mapping.payload) {
    const auto filler = mapping.fillers.find(pair.sink);
    absent.push_back(filler == mapping.fillers.end() ? Cell::null() : Cell::of(filler->second));
  }
  const std::vector<PositionColumn> positions = positionColumnsOf(mapping);
  CopyIn copy = m_connection.copyIn(copyIntoStaging(staging.name));
  std::string line;
  for (std::size_t part = 0; part < batch.parts.size(); ++part) {
    for (const Change& change : batch.parts[part].rows) {
      line = std::to_string(batch.rows.size()) + "\t" + std::to_string(part) + "\t";
      line += change.firstElementNull && !change.isRead ? std::to_string(change.lsn) : "\\N";
      for (const std::string& value : change.key) {
        line += '\t';
        appendCopyText(line, value);
      }
      for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
        line += '\t';
        appendCopyCell(line, change.deleted || change.payload[i].isLeftOut() ? absent[i] : change.payload[i]);
      }
      for (const PositionColumn& column : positions) {
        line += '\t';
        line += std::to_string(change.position.element.at(column.element));
      }
      line += change.deleted ? "\tt\n" : "\tf\n";
      copy.write(line);
      batch.rows.push_back(&change);
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
