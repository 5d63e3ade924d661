#include "engine/load/reread.h"

#include <algorithm>

#include "engine/core/error.h"

namespace tidemark {

namespace {

constexpr std::size_t kKeysAtOnce = 1000;

std::vector<Key> sortedOnce(std::span<const Key> keys, const std::vector<ColumnKind>& kinds) {
  std::vector<Key> sorted(keys.begin(), keys.end());
  const auto less = [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) < 0; };
  std::sort(sorted.begin(), sorted.end(), less);
  const auto same = [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) == 0; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  return sorted;
}

/// What the source holds for `keys`, as changes at B: a row as a read, an absent key as a delete.
std::vector<Change> changesFor(std::span<const Key> keys, std::vector<StoredRow> rows, const Position& boundary,
                               const std::vector<ColumnKind>& kinds) {
  std::vector<Change> changes;
  changes.reserve(keys.size());
  auto row = rows.begin();
  for (const Key& key : keys) {
    Change& change = changes.emplace_back();
    change.key = key;
    change.isRead = true;
    change.position = boundary;
    change.deleted = row == rows.end() || compareKeys(kinds, row->key, key) != 0;
    if (!change.deleted) change.payload = std::move((row++)->payload);
  }
  // A row that was not asked for, or is out of order, would have turned its key into a delete.
  if (row != rows.end()) {
    throw Error("source.key_order", "the source answered with key " + displayKey(row->key) +
                                        " where its order of keys does not allow it; nothing was applied");
  }
  return changes;
}

}  // namespace

RereadResult rereadKeys(Source& source, Sink& sink, const TableMapping& mapping, std::span<const Key> keys,
                        const BoundaryOptions& options, std::stop_token stop, const BoundaryObserver& observer) {
  RereadResult result;
  if (keys.empty()) return result;
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  const std::vector<Key> sorted = sortedOnce(keys, kinds);
  result.boundary = source.captureBoundary(options, stop, observer);
  for (std::size_t at = 0; at < sorted.size(); at += kKeysAtOnce) {
    if (stop.stop_requested()) throw Cancelled();
    const std::span<const Key> part(sorted.data() + at, std::min(kKeysAtOnce, sorted.size() - at));
    const std::vector<Change> changes =
        changesFor(part, source.readKeys(mapping, part, result.boundary), result.boundary.position, kinds);
    // Before anything is written: what was read under a boundary that a restart voided must not reach the sink.
    source.confirmRead(result.boundary, stop);
    result.counts += sink.apply(mapping, changes).counts;
    sink.clearKeysToRead(mapping, part, result.boundary.position);
    const auto absent = static_cast<std::uint64_t>(
        std::count_if(changes.begin(), changes.end(), [](const Change& change) { return change.deleted; }));
    result.absent += absent;
    result.present += changes.size() - absent;
  }
  return result;
}

}  // namespace tidemark
