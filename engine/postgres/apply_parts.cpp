#include "engine/postgres/apply_parts.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace tidemark::postgres {

namespace {

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

bool leavesOut(const Change& change) {
  return !change.deleted &&
         std::any_of(change.payload.begin(), change.payload.end(), [](const Cell& cell) { return cell.isLeftOut(); });
}

bool isInteger(ColumnKind kind) {
  return kind == ColumnKind::SmallInt || kind == ColumnKind::Integer || kind == ColumnKind::BigInt;
}

/// Sorts by a single integer key. Numbers are read once: comparing their text ten times each costs more than the COPY.
/// Tells whether every key is there once.
bool sortByNumber(std::vector<const Change*>& rows) {
  std::vector<std::pair<std::int64_t, const Change*>> order;
  order.reserve(rows.size());
  for (const Change* change : rows) {
    const std::string& text = change->key.front();
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);  // What is no number the server will refuse.
    order.emplace_back(number, change);
  }
  const auto lower = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(order.begin(), order.end(), lower)) std::sort(order.begin(), order.end(), lower);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = order[i].second;
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  return std::adjacent_find(order.begin(), order.end(), same) == order.end();
}

bool sortByKey(const TableMapping& mapping, std::vector<const Change*>& rows) {
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  if (kinds.size() == 1 && isInteger(kinds.front())) return sortByNumber(rows);
  std::sort(rows.begin(), rows.end(),
            [&kinds](const Change* a, const Change* b) { return compareKeys(kinds, a->key, b->key) < 0; });
  const auto same = [&kinds](const Change* a, const Change* b) { return compareKeys(kinds, a->key, b->key) == 0; };
  return std::adjacent_find(rows.begin(), rows.end(), same) == rows.end();
}

}  // namespace

std::optional<ApplyPart> plainPart(const TableMapping& mapping, std::span<const Change> batch) {
  if (std::any_of(batch.begin(), batch.end(), leavesOut)) return std::nullopt;
  ApplyPart part;
  part.rows.reserve(batch.size());
  for (const Change& change : batch) part.rows.push_back(&change);
  if (!sortByKey(mapping, part.rows)) return std::nullopt;
  return part;
}

std::vector<ApplyPart> partsOf(const TableMapping& mapping, const CollapsedBatch& collapsed) {
  std::vector<ApplyPart> parts;
  const auto addPass = [&](const std::vector<Change>& pass) {
    std::map<std::vector<bool>, ApplyPart> byLeftOut;
    for (const Change& change : pass) {
      std::vector<bool> leftOut = leftOutOf(change);
      ApplyPart& part = byLeftOut[leftOut];
      part.leftOut = std::move(leftOut);
      part.rows.push_back(&change);
    }
    for (auto& [leftOut, part] : byLeftOut) {
      sortByKey(mapping, part.rows);
      parts.push_back(std::move(part));
    }
  };
  for (const std::vector<Change>& pass : collapsed.earlier) addPass(pass);
  addPass(collapsed.rows);
  return parts;
}

}  // namespace tidemark::postgres
