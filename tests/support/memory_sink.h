#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/apply/collapse.h"
#include "engine/apply/guard.h"
#include "tests/support/guard_counts.h"

namespace tidemark::test {

/// The guard in memory, to the letter of the law's rules 1 and 2: what every real sink must agree with.
class MemorySink {
 public:
  struct Stored {
    Position position;
    bool deleted = false;
    Row payload;  ///< Of a marker: empty.
    friend bool operator==(const Stored&, const Stored&) = default;
  };

  explicit MemorySink(PositionScheme scheme) : m_scheme(scheme) {}

  /// One batch as a sink applies it: doubt settled, collapsed, pass by pass.
  ApplyResult apply(std::span<const Change> batch) {
    ApplyResult result;
    std::vector<StoredPosition> stored;
    for (const Key& key : keysThatMayBeDoubtful(m_scheme, batch))
      if (const auto row = m_rows.find(key); row != m_rows.end()) stored.push_back({key, row->second.position});
    const SettledBatch settled = settleDoubt(m_scheme, batch, stored);
    for (const Change& change : settled.doubtful) noteDoubtful(change, result);

    const CollapsedBatch collapsed = collapse(settled.rest);
    result.counts.collapsed = collapsed.collapsed;
    for (const auto& pass : collapsed.earlier)
      for (const Change& change : pass) applyGuarded(change, result);
    for (const Change& change : collapsed.rows) applyGuarded(change, result);
    return result;
  }

  /// Each change alone, in the order given: what collapsing must not differ from.
  ApplyResult applyOneByOne(std::span<const Change> changes) {
    ApplyResult result;
    for (const Change& change : changes) {
      const auto row = m_rows.find(change.key);
      const Position* position = row == m_rows.end() ? nullptr : &row->second.position;
      if (isDoubtful(m_scheme, change.isRead, change.firstElementNull, change.lsn, position, change.position))
        noteDoubtful(change, result);
      else
        applyGuarded(change, result);
    }
    return result;
  }

  /// Applies in batches of `size`; 0 means all at once.
  ApplyResult applyInBatches(std::span<const Change> changes, std::size_t size) {
    ApplyResult total;
    if (size == 0) size = std::max<std::size_t>(changes.size(), 1);
    for (std::size_t at = 0; at < changes.size(); at += size) {
      const ApplyResult part = apply(changes.subspan(at, std::min(size, changes.size() - at)));
      total.counts += part.counts;
      total.doubtful.insert(total.doubtful.end(), part.doubtful.begin(), part.doubtful.end());
      total.incomplete.insert(total.incomplete.end(), part.incomplete.begin(), part.incomplete.end());
    }
    return total;
  }

  const std::map<Key, Stored>& rows() const { return m_rows; }
  const Stored* find(const Key& key) const {
    const auto row = m_rows.find(key);
    return row == m_rows.end() ? nullptr : &row->second;
  }
  /// The live row, or null for a marker and a key never seen.
  const Stored* live(const Key& key) const {
    const Stored* row = find(key);
    return row != nullptr && !row->deleted ? row : nullptr;
  }
  /// Doubtful and incomplete keys: to be read again under a fresh boundary.
  const std::set<Key>& keysToRead() const { return m_keysToRead; }

 private:
  void noteDoubtful(const Change& change, ApplyResult& result) {
    ++result.counts.doubtful;
    result.doubtful.push_back(change.key);
    m_keysToRead.insert(change.key);
  }

  void applyGuarded(const Change& change, ApplyResult& result) {
    const auto found = m_rows.find(change.key);
    const GuardVerdict verdict = guard(found == m_rows.end() ? nullptr : &found->second.position, change.position);
    if (!countVerdict(verdict, change.deleted, result.counts)) return;
    Stored next{change.position, change.deleted, change.deleted ? Row{} : change.payload};
    bool incomplete = false;
    for (std::size_t i = 0; i < next.payload.size(); ++i) {
      if (!next.payload[i].isLeftOut()) continue;
      const bool known = found != m_rows.end() && !found->second.deleted;
      next.payload[i] = known ? found->second.payload[i] : Cell::null();
      incomplete = incomplete || !known;
    }
    if (incomplete) {
      ++result.counts.incomplete;
      result.incomplete.push_back(change.key);
      m_keysToRead.insert(change.key);
    }
    m_rows.insert_or_assign(change.key, std::move(next));
  }

  PositionScheme m_scheme;
  std::map<Key, Stored> m_rows;
  std::set<Key> m_keysToRead;
};

}  // namespace tidemark::test
