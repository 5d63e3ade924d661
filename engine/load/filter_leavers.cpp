#include "engine/load/filter_leavers.h"

#include "engine/core/error.h"
#include "engine/keys/key_cursor.h"

namespace tidemark {

namespace {

class LeaverPass {
 public:
  LeaverPass(Sink& sink, const LoadRequest& request, const Segment& segment)
      : m_sink(sink), m_request(request), m_rest(segment.range), m_kinds(request.mapping.keyKinds()) {
    m_list = openKeyList(request.keyFile, segment.keys.summary);
    m_cursor.emplace(*m_list, m_kinds);
  }

  /// The next keys to read again. The stream is closed in between, because the connection is needed for writing.
  std::vector<Key> nextKeys(std::stop_token stop) {
    std::vector<Key> keys;
    const Scope scope{m_rest, m_request.scope.filter, m_request.scope.sinkFilter};
    const auto rows = m_sink.rows(m_request.mapping, scope, SinkRows::LiveBelow, m_request.boundary.position, false);
    StoredRow row;
    while (keys.size() < m_request.pace.batchRows && rows->next(row)) {
      if (stop.stop_requested()) throw Cancelled();
      if (m_cursor->contains(row.key)) keys.push_back(row.key);
      m_rest.from = KeyBound{row.key, false};
    }
    return keys;
  }

  /// Only a list that was read to its end is known to be the one that the journal describes.
  void readToEnd() { m_cursor->readToEnd(); }

 private:
  Sink& m_sink;
  const LoadRequest& m_request;
  KeyRange m_rest;
  std::vector<ColumnKind> m_kinds;
  std::unique_ptr<KeyListReader> m_list;
  std::optional<KeyCursor> m_cursor;
};

}  // namespace

void loadFilterLeavers(Source& source, Sink& sink, const LoadRequest& request, Segment& segment,
                       const SegmentCheckpoint& checkpoint, std::stop_token stop, ProgressMeter& meter) {
  if (!request.scope.filtered()) return;
  LeaverPass pass(sink, request, segment);
  for (std::vector<Key> keys = pass.nextKeys(stop); !keys.empty(); keys = pass.nextKeys(stop)) {
    std::vector<Change> changes;
    // A key that the source has lost since is left out: its delete has a position above B and is on its way.
    for (StoredRow& row : source.readKeys(request.mapping, keys, request.boundary)) {
      Change& change = changes.emplace_back();
      change.key = std::move(row.key);
      change.payload = std::move(row.payload);
      change.isRead = true;
      change.position = request.boundary.position;
    }
    if (changes.empty()) continue;
    segment.counts += sink.apply(request.mapping, changes).counts;
    segment.rowsLoaded += changes.size();
    meter.advance(changes.size(), displayKey(changes.back().key));
    if (checkpoint) checkpoint(segment);
  }
  pass.readToEnd();
}

}  // namespace tidemark
