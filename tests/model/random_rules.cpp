#include "tests/model/random_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include "engine/apply/collapse.h"
#include "engine/apply/guard.h"

namespace tidemark::model {
namespace {

struct Stored {
  bool present = false;
  Position position;
  int value = kNoValue;
};

Incoming incomingOf(const RandomEvent& event) {
  Incoming incoming;
  incoming.key = event.key;
  incoming.isRead = event.isRead;
  incoming.first = event.first;
  incoming.lsn = event.lsn;
  return incoming;
}

bool writes(GuardVerdict verdict) {
  return verdict == GuardVerdict::Insert || verdict == GuardVerdict::Replace;
}

/// A sink that speaks the engine's changes, its rows in a map.
class BatchSink {
 public:
  explicit BatchSink(PositionScheme scheme) : m_scheme(scheme) {}

  void apply(const std::vector<Change>& batch) {
    std::vector<StoredPosition> stored;
    for (const Key& key : keysThatMayBeDoubtful(m_scheme, batch)) {
      const auto row = m_rows.find(key);
      if (row != m_rows.end()) stored.push_back({key, row->second.position});
    }
    const SettledBatch settled = settleDoubt(m_scheme, batch, stored);
    for (const Change& change : settled.doubtful) m_doubtful.insert(change.key);
    const CollapsedBatch collapsed = collapse(settled.rest);
    for (const auto& pass : collapsed.earlier) write(pass);
    write(collapsed.rows);
  }

  bool isDoubtful(const Key& key) const { return m_doubtful.count(key) > 0; }
  int liveValue(const Key& key) const {
    const auto row = m_rows.find(key);
    return row == m_rows.end() ? kNoValue : row->second.value;
  }

 private:
  void write(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      const auto row = m_rows.find(change.key);
      if (!writes(guard(row == m_rows.end() ? nullptr : &row->second.position, change.position))) continue;
      m_rows[change.key] = {true, change.position, change.deleted ? kNoValue : std::stoi(change.payload.at(0).text)};
    }
  }

  PositionScheme m_scheme;
  std::map<Key, Stored> m_rows;
  std::set<Key> m_doubtful;
};

Change changeOf(PositionScheme scheme, const RandomEvent& event) {
  Change change;
  change.key = {std::to_string(event.key)};
  change.deleted = event.value == kNoValue;
  if (!change.deleted) change.payload = {Cell::of(std::to_string(event.value))};
  change.isRead = event.isRead;
  change.firstElementNull = !event.first.has_value();
  change.lsn = event.lsn;
  change.position = event.isRead ? readPosition(scheme, event.first) : changePosition(scheme, event.first, event.lsn);
  return change;
}

}  // namespace

bool endsRightOneByOne(const Rules& rules, const RandomSchedule& schedule) {
  std::array<Stored, kRandomKeys> sink{};
  std::array<bool, kRandomKeys> doubtful{};
  for (const RandomEvent& event : schedule.events) {
    Stored& row = sink[static_cast<std::size_t>(event.key)];
    const Position position = positionOf(rules, incomingOf(event));
    const Position* stored = row.present ? &row.position : nullptr;
    if (writes(guard(stored, position))) {
      row = {true, position, event.value};
    } else if (rules.keepDoubtful &&
               isDoubtful(rules.scheme(), event.isRead, !event.first.has_value(), event.lsn, stored, position)) {
      doubtful[static_cast<std::size_t>(event.key)] = true;
    }
  }
  for (std::size_t key = 0; key < kRandomKeys; ++key) {
    const int live = doubtful[key] ? schedule.source[key] : sink[key].value;
    if (live != schedule.source[key]) return false;
  }
  return true;
}

bool endsRightInBatches(PositionScheme scheme, const RandomSchedule& schedule, int largest, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  BatchSink sink(scheme);
  std::vector<Change> batch;
  std::size_t next = 0;
  while (next < schedule.events.size()) {
    const std::size_t size = 1 + static_cast<std::size_t>(random() % static_cast<std::uint64_t>(largest));
    batch.clear();
    for (; batch.size() < size && next < schedule.events.size(); ++next) {
      batch.push_back(changeOf(scheme, schedule.events[next]));
    }
    sink.apply(batch);
  }
  for (int key = 0; key < kRandomKeys; ++key) {
    const Key name{std::to_string(key)};
    const int expected = schedule.source[static_cast<std::size_t>(key)];
    if (!sink.isDoubtful(name) && sink.liveValue(name) != expected) return false;
  }
  return true;
}

}  // namespace tidemark::model
