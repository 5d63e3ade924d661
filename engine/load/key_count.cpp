#include "engine/core/error.h"
#include "engine/keys/key_cursor.h"
#include "engine/load/load.h"

namespace tidemark {

namespace {

constexpr std::size_t kKeysAtOnce = 1000;
constexpr char kHint[] = "Do not sweep with this list, it would delete live rows: load the segment anew.";

void requireEqual(const Segment& segment, std::uint64_t atSource, const char* when) {
  if (segment.keys.summary.count == atSource) return;
  ErrorDetail detail;
  detail.hint = kHint;
  throw Error("keys.count_differs",
              "the key list of segment " + std::to_string(segment.number) + " holds " +
                  std::to_string(segment.keys.summary.count) + " keys, but the source counts " +
                  std::to_string(atSource) + " in its range " + when,
              detail);
}

/// Keys that the source has now and the list lacks. Inserted since, they are above B in the sink or not there yet; a
/// live sink row below B among them would be swept although the source has it.
class LackingKeys {
 public:
  LackingKeys(SinkReader& sink, const TableMapping& mapping, const Segment& segment)
      : m_sink(sink), m_mapping(mapping), m_segment(segment) {}

  void add(const Key& key) {
    ++m_lacking;
    m_keys.push_back(key);
    if (m_keys.size() == kKeysAtOnce) check();
  }

  void check() {
    if (m_keys.empty()) return;
    for (const StoredRow& row : m_sink.readKeys(m_mapping, m_keys)) {
      if (row.deleted || !(row.position < m_segment.boundary.position)) continue;
      if (m_endangered++ == 0) m_example = row.key;
    }
    m_keys.clear();
  }

  void refuse(std::uint64_t atSource) const {
    if (m_endangered == 0) return;
    ErrorDetail detail;
    detail.hint = kHint;
    detail.technical = std::to_string(m_lacking) + " keys of the source are not in the list";
    throw Error("keys.count_differs",
                "the key list of segment " + std::to_string(m_segment.number) + " holds " +
                    std::to_string(m_segment.keys.summary.count) + " keys, the source now has " +
                    std::to_string(atSource) + ", and " + std::to_string(m_endangered) +
                    " of those that the list lacks are older than the boundary in the sink, for example " +
                    displayKey(m_example),
                detail);
  }

 private:
  SinkReader& m_sink;
  const TableMapping& m_mapping;
  const Segment& m_segment;
  std::vector<Key> m_keys;
  std::uint64_t m_lacking = 0;
  std::uint64_t m_endangered = 0;
  Key m_example;
};

void compareKeyByKey(Source& source, SinkReader& sink, const TableMapping& mapping, const Segment& segment,
                     const std::filesystem::path& keyFile, std::stop_token stop) {
  const auto list = openKeyList(keyFile, segment.keys.summary);
  KeyCursor cursor(*list, mapping.keyKinds());
  LackingKeys lacking(sink, mapping, segment);
  Scope scope;
  scope.range = segment.range;
  const auto rows = source.rows(mapping, scope);
  StoredRow row;
  std::uint64_t atSource = 0;
  while (rows->next(row)) {
    if (++atSource % kKeysAtOnce == 0 && stop.stop_requested()) throw Cancelled();
    if (!cursor.contains(row.key)) lacking.add(row.key);
  }
  lacking.check();
  cursor.readToEnd();
  lacking.refuse(atSource);
}

}  // namespace

void checkKeyCount(Source& source, SinkReader& sink, const TableMapping& mapping, const Segment& segment,
                   const std::filesystem::path& keyFile, std::stop_token stop) {
  if (segment.keysAtSource) {
    requireEqual(segment, *segment.keysAtSource, "in the snapshot that the list was read in");
    return;
  }
  // In this order: a change between the two calls is then seen by the second.
  const std::uint64_t now = source.countKeys(mapping, segment.range);
  if (source.unchangedSince(mapping, segment.boundary).value_or(false)) {
    requireEqual(segment, now, "and nobody has changed the table since");
    return;
  }
  compareKeyByKey(source, sink, mapping, segment, keyFile, stop);
}

}  // namespace tidemark
