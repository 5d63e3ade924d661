#include "engine/apply/collapse.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "engine/apply/guard.h"

namespace tidemark {

namespace {

struct KeyHash {
  std::size_t operator()(const Key* key) const {
    std::size_t hash = 0;
    for (const std::string& part : *key) hash = hash * 1'000'003U + std::hash<std::string_view>{}(part);
    return hash;
  }
};
struct KeyEqual {
  bool operator()(const Key* a, const Key* b) const { return *a == *b; }
};
template <typename Value>
using KeyMap = std::unordered_map<const Key*, Value, KeyHash, KeyEqual>;

using Changes = std::vector<const Change*>;

/// The changes of each key in order of arrival; keys in order of their first arrival.
std::vector<Changes> groupByKey(std::span<const Change> batch) {
  KeyMap<std::size_t> groupOf;
  groupOf.reserve(batch.size());
  std::vector<Changes> groups;
  for (const Change& change : batch) {
    const auto [place, isNew] = groupOf.try_emplace(&change.key, groups.size());
    if (isNew) groups.emplace_back();
    groups[place->second].push_back(&change);
  }
  return groups;
}

std::vector<std::size_t> leftOutColumns(const Change& change) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < change.payload.size(); ++i)
    if (change.payload[i].isLeftOut()) columns.push_back(i);
  return columns;
}

bool provides(const Change& change, std::size_t column) {
  return column < change.payload.size() && !change.payload[column].isLeftOut();
}

/// Winner first, then what its left-out columns depend on, newest to oldest. `newestFirst` has one change a position.
Changes dependencyChain(const Changes& newestFirst) {
  Changes chain{newestFirst.front()};
  std::vector<std::size_t> wanted = leftOutColumns(*newestFirst.front());
  for (std::size_t i = 1; i < newestFirst.size() && !wanted.empty(); ++i) {
    const Change& candidate = *newestFirst[i];
    if (candidate.deleted) {
      // What is stored below this delete is no value of the row that was created again.
      chain.push_back(&candidate);
      break;
    }
    if (std::erase_if(wanted, [&](std::size_t column) { return provides(candidate, column); }) > 0)
      chain.push_back(&candidate);
  }
  return chain;
}

/// A change of the chain as it is applied. What it left out and a later one brings is filled in at once: the later one
/// overwrites it in the same transaction, and the key would be counted incomplete in between.
Change withLaterValues(const Changes& chain, std::size_t index) {
  Change change = *chain[index];
  for (const std::size_t column : leftOutColumns(change)) {
    for (std::size_t later = index; later-- > 0;) {
      if (!provides(*chain[later], column)) continue;
      change.payload[column] = chain[later]->payload[column];
      break;
    }
  }
  return change;
}

}  // namespace

CollapsedBatch collapse(std::span<const Change> batch) {
  CollapsedBatch result;
  std::size_t kept = 0;
  for (Changes& changes : groupByKey(batch)) {
    // Stable, so that of equal positions the first to arrive stays in front and is the one that is kept.
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change* a, const Change* b) { return b->position < a->position; });
    const auto samePosition = [](const Change* a, const Change* b) { return a->position == b->position; };
    changes.erase(std::unique(changes.begin(), changes.end(), samePosition), changes.end());

    const Changes chain = dependencyChain(changes);
    result.rows.push_back(*chain.front());
    kept += chain.size();
    // The oldest of a chain goes into the first pass: chains of different length share passes.
    for (std::size_t index = chain.size() - 1, pass = 0; index > 0; --index, ++pass) {
      if (result.earlier.size() <= pass) result.earlier.emplace_back();
      result.earlier[pass].push_back(withLaterValues(chain, index));
    }
  }
  result.collapsed = batch.size() - kept;
  return result;
}

std::vector<Key> keysThatMayBeDoubtful(PositionScheme scheme, std::span<const Change> batch) {
  std::vector<Key> keys;
  if (scheme != PositionScheme::CommitLsn) return keys;
  KeyMap<bool> seen;
  for (const Change& change : batch)
    if (change.firstElementNull && !change.isRead && seen.try_emplace(&change.key, true).second)
      keys.push_back(change.key);
  return keys;
}

SettledBatch settleDoubt(PositionScheme scheme, std::span<const Change> batch, std::span<const StoredPosition> stored) {
  SettledBatch result;
  const std::vector<Key> keys = keysThatMayBeDoubtful(scheme, batch);
  if (keys.empty()) {
    result.rest.assign(batch.begin(), batch.end());
    return result;
  }
  KeyMap<std::optional<Position>> current;
  for (const Key& key : keys) current.emplace(&key, std::nullopt);
  for (const StoredPosition& row : stored)
    if (const auto place = current.find(&row.key); place != current.end()) place->second = row.position;

  // The guard, arrival by arrival, on the positions alone: what loses is known before anything is collapsed.
  for (const Change& change : batch) {
    const auto place = current.find(&change.key);
    if (place != current.end()) {
      const Position* position = place->second ? &*place->second : nullptr;
      if (isDoubtful(scheme, change.isRead, change.firstElementNull, change.lsn, position, change.position)) {
        result.doubtful.push_back(change);
        continue;
      }
      const GuardVerdict verdict = guard(position, change.position);
      if (verdict == GuardVerdict::Insert || verdict == GuardVerdict::Replace) place->second = change.position;
    }
    result.rest.push_back(change);
  }
  return result;
}

}  // namespace tidemark
