#include "engine/postgres/ghost_merge.h"

#include <algorithm>
#include <charconv>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "engine/postgres/array_text.h"
#include "engine/postgres/postgres_read_sql.h"
#include "engine/postgres/postgres_sql.h"
#include "engine/postgres/postgres_sweep_sql.h"

namespace tidemark::postgres {

namespace {

constexpr std::uint64_t kKeysBetweenReports = 4096;

bool isInteger(ColumnKind kind) {
  return kind == ColumnKind::SmallInt || kind == ColumnKind::Integer || kind == ColumnKind::BigInt;
}

/// A key, and its number where it is a single integer: read once, since comparing text costs more than all the rest.
struct MergedKey {
  Key key;
  std::int64_t number = 0;
};

class KeyOrder {
 public:
  explicit KeyOrder(const TableMapping& mapping)
      : m_kinds(mapping.keyKinds()), m_numbers(m_kinds.size() == 1 && isInteger(m_kinds.front())) {}

  void prepare(MergedKey& merged) const {
    if (!m_numbers) return;
    const std::string& text = merged.key.front();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), merged.number);
    if (error != std::errc{} || end != text.data() + text.size())
      throw Error("sweep.key", "the key " + displayKey(merged.key) + " is no whole number");
  }
  std::strong_ordering compare(const MergedKey& a, const MergedKey& b) const {
    return m_numbers ? a.number <=> b.number : compareKeys(m_kinds, a.key, b.key);
  }

 private:
  std::vector<ColumnKind> m_kinds;
  bool m_numbers;
};

/// One side of the merge. A side out of order would turn live rows into ghosts.
template <typename Next>
class SortedKeys {
 public:
  SortedKeys(const KeyOrder& order, Next next, const char* code, const char* name)
      : m_order(order), m_next(std::move(next)), m_code(code), m_name(name) {}

  bool open() const { return m_open; }
  const MergedKey& current() const { return m_current; }
  void advance() {
    std::swap(m_current, m_previous);
    const bool first = !m_open;
    m_open = m_next(m_current.key);
    if (!m_open) return;
    m_order.prepare(m_current);
    if (!first && m_order.compare(m_previous, m_current) >= 0) {
      throw Error(m_code, std::string(m_name) + " is not in key order at " + displayKey(m_current.key),
                  {.hint = "Load the range again: sweeping by such a list could mark live rows."});
    }
  }

 private:
  const KeyOrder& m_order;
  Next m_next;
  const char* m_code;
  const char* m_name;
  MergedKey m_current;
  MergedKey m_previous;
  bool m_open = false;
};

/// Copies ghosts into their table.
class GhostWriter {
 public:
  GhostWriter(Connection& connection, const TableMapping& mapping, const SweepRequest& request)
      : m_copy(connection.copyIn(copyIntoGhosts())) {
    for (const std::string& field :
         {request.runId, schemaOf(mapping.sink), mapping.sink.name, segmentName(request.scope.range)}) {
      appendCopyText(m_prefix, field);
      m_prefix += '\t';
    }
  }

  void add(const Key& key) {
    m_line = m_prefix;
    appendCopyText(m_line, arrayText(key));
    m_line += '\n';
    m_copy.write(m_line);
  }
  std::uint64_t finish() { return m_copy.finish(); }

 private:
  CopyIn m_copy;
  std::string m_prefix;
  std::string m_line;
};

}  // namespace

bool mergesExactly(const TableMapping& mapping) {
  return std::all_of(mapping.key.begin(), mapping.key.end(), [](const ColumnPair& pair) {
    return isInteger(pair.type.kind) || pair.type.kind == ColumnKind::Uuid;
  });
}

std::uint64_t mergeGhosts(Connection& connection, const TableMapping& mapping, const SweepRequest& request,
                          KeyListReader& keys, const std::stop_token& stop, ProgressMeter& meter) {
  Connection reader(connection.connectionString(), stop);
  const StopScope scope = reader.stopScope(stop);
  reader.begin(Isolation::RepeatableRead, Access::ReadOnly);
  CopyOut rows = reader.copyOut(copyRowsOut(selectQualifyingKeys(mapping, request)));
  const KeyOrder order(mapping);
  SortedKeys listed(
      order, [&keys](Key& key) { return keys.next(key); }, "keys.not_sorted", "the key list");
  SortedKeys stored(
      order,
      [&rows](Key& key) {
        std::string_view line;
        if (!rows.next(line)) return false;
        readCopyKey(line, key);
        return true;
      },
      "sweep.key_order", "the sink's table");
  GhostWriter ghosts(connection, mapping, request);
  listed.advance();
  stored.advance();
  std::uint64_t passed = 0;
  while (listed.open() || stored.open()) {
    const std::strong_ordering place = !listed.open()   ? std::strong_ordering::greater
                                       : !stored.open() ? std::strong_ordering::less
                                                        : order.compare(listed.current(), stored.current());
    if (place > 0) ghosts.add(stored.current().key);
    if (place <= 0) {
      if (++passed % kKeysBetweenReports == 0) {
        if (stop.stop_requested()) throw Cancelled();
        meter.advance(kKeysBetweenReports, displayKey(listed.current().key));
      }
      listed.advance();
    }
    if (place >= 0) stored.advance();
  }
  meter.advance(passed % kKeysBetweenReports);
  return ghosts.finish();
}

}  // namespace tidemark::postgres
