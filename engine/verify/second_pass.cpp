#include "engine/verify/second_pass.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/verify/row_hash.h"

namespace tidemark {

namespace {

constexpr std::size_t kKeysAtOnce = 1000;

/// Finds the answers to ascending keys among rows in key order.
class Answers {
 public:
  Answers(std::vector<StoredRow> rows, const std::vector<ColumnKind>& kinds)
      : m_rows(std::move(rows)), m_kinds(kinds), m_next(m_rows.begin()) {}

  const StoredRow* find(const Key& key) {
    while (m_next != m_rows.end() && compareKeys(m_kinds, m_next->key, key) < 0) ++m_next;
    if (m_next == m_rows.end() || compareKeys(m_kinds, m_next->key, key) != 0) return nullptr;
    return &*m_next;
  }

 private:
  std::vector<StoredRow> m_rows;
  const std::vector<ColumnKind>& m_kinds;
  std::vector<StoredRow>::const_iterator m_next;
};

std::vector<std::string> differingColumns(const TableMapping& mapping, const Row& source, const Row& sink) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < mapping.payload.size(); ++i) {
    if (!sameValue(mapping.payload[i].type.kind, source.at(i), sink.at(i))) columns.push_back(mapping.payload[i].sink);
  }
  return columns;
}

KeyState stateOf(const TableMapping& mapping, const StoredRow* source, const StoredRow* sink) {
  KeyState state;
  if (source != nullptr) state.source = rowHash(source->key, source->payload);
  if (sink == nullptr) return state;
  state.sinkPosition = sink->position;
  state.sinkHasMarker = sink->deleted;
  if (sink->deleted) return state;
  state.sink = rowHash(sink->key, sink->payload);
  if (source != nullptr) state.columns = differingColumns(mapping, source->payload, sink->payload);
  return state;
}

/// What the first pass saw of a side may be missing from it for another reason than a change: a marker is no row of
/// it, nor is a source row outside the filter. So only what it did see is held against what was read later.
bool changedSinceFirstPass(const Candidate& candidate, const KeyState& first) {
  if (candidate.sourceContent && candidate.sourceContent != first.source) return true;
  if (!candidate.sinkContent) return first.sink.has_value();
  return candidate.sinkContent != first.sink || candidate.sinkPosition != first.sinkPosition;
}

}  // namespace

std::vector<KeyState> readStates(Source& source, SinkReader& sink, const TableMapping& mapping,
                                 std::span<const Key> keys, std::stop_token stop) {
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  std::vector<KeyState> states;
  states.reserve(keys.size());
  for (std::size_t at = 0; at < keys.size(); at += kKeysAtOnce) {
    if (stop.stop_requested()) throw Cancelled();
    const auto part = keys.subspan(at, std::min(kKeysAtOnce, keys.size() - at));
    Answers atSource(source.readKeys(mapping, part, Boundary{}), kinds);
    Answers atSink(sink.readKeys(mapping, part), kinds);
    for (const Key& key : part) {
      const StoredRow* sourceRow = atSource.find(key);
      states.push_back(stateOf(mapping, sourceRow, atSink.find(key)));
    }
  }
  return states;
}

DifferenceKind classify(const Candidate& candidate, const KeyState& first, const KeyState& second,
                        const std::optional<Position>& boundary) {
  if (changedSinceFirstPass(candidate, first) || !first.sameAs(second)) return DifferenceKind::InFlight;
  if (!second.sink) return DifferenceKind::Missing;
  if (!second.source) return DifferenceKind::Ghost;
  return contentDifference(boundary, second.sinkPosition.value_or(kNoPosition));
}

}  // namespace tidemark
