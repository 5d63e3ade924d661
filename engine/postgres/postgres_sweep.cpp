#include "engine/postgres/postgres_sweep.h"

#include <algorithm>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "engine/postgres/array_text.h"
#include "engine/postgres/ghost_merge.h"
#include "engine/postgres/postgres_read_sql.h"
#include "engine/postgres/postgres_reads.h"
#include "engine/postgres/postgres_schema.h"
#include "engine/postgres/postgres_sql.h"
#include "engine/postgres/postgres_sweep_sql.h"

namespace tidemark::postgres {

namespace {

/// A write transaction that is rolled back unless it was committed.
class WriteTransaction {
 public:
  explicit WriteTransaction(Connection& connection) : m_connection(connection) { m_connection.begin(); }
  ~WriteTransaction() {
    if (!m_done) m_connection.rollback();
  }
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  void commit() {
    m_done = true;
    m_connection.commit();
  }

 private:
  Connection& m_connection;
  bool m_done = false;
};

Parameters runParameters(const TableMapping& mapping, const std::string& runId) {
  return {runId, schemaOf(mapping.sink), mapping.sink.name};
}

Parameters segmentParameters(const TableMapping& mapping, const SweepRequest& request) {
  Parameters parameters = runParameters(mapping, request.runId);
  parameters.push_back(segmentName(request.scope.range));
  return parameters;
}

std::string payloadNames(const TableMapping& mapping) {
  std::vector<std::string> names;
  for (const ColumnPair& pair : mapping.payload) names.push_back(pair.sink);
  return arrayText(names);
}

/// How many keys are held against the sink at once. Kinds that the two sides might order differently at the edges
/// (dates before our era, NaN) are never cut: a key on the wrong side of a cut would look like a ghost.
std::uint64_t chunkSize(const TableMapping& mapping) {
  std::uint64_t size = 500000;
  for (const ColumnPair& pair : mapping.key) {
    switch (pair.type.kind) {
      case ColumnKind::SmallInt:
      case ColumnKind::Integer:
      case ColumnKind::BigInt:
      case ColumnKind::Uuid:
        break;
      case ColumnKind::Text:
        size = 5000000;  // An index of another collation is no help: each chunk may read the whole table.
        break;
      default:
        return UINT64_MAX;
    }
  }
  return size;
}

/// Feeds a sorted key list into the key table, chunk by chunk.
class ChunkedKeys {
 public:
  ChunkedKeys(const TableMapping& mapping, KeyListReader& keys)
      : m_mapping(mapping), m_kinds(mapping.keyKinds()), m_keys(keys), m_size(chunkSize(mapping)) {}

  /// Copies the next keys and tells which range of keys they answer for. The last range is open at its end.
  std::uint64_t copyNext(Connection& connection, const std::stop_token& stop, KeyRange& range) {
    range = {};
    if (m_any) range.from = KeyBound{m_last, false};
    CopyIn copy = connection.copyIn(copyIntoKeyTable());
    std::uint64_t copied = 0;
    std::string line;
    Key key;
    while (copied < m_size && (m_more = m_keys.next(key))) {
      if (stop.stop_requested()) throw Cancelled();
      if (m_any && compareKeys(m_kinds, m_last, key) >= 0) {
        throw Error("keys.not_sorted", "the key list is not in key order at " + displayKey(key),
                    {.hint = "Load the range again: sweeping by such a list could mark live rows."});
      }
      line.clear();
      for (const std::string& value : key) {
        if (!line.empty() || &value != &key.front()) line += '\t';
        appendCopyText(line, value);
      }
      line += '\n';
      copy.write(line);
      m_last = key;
      m_any = true;
      ++copied;
    }
    copy.finish();
    if (m_more) range.to = KeyBound{m_last, true};
    return copied;
  }
  bool more() const { return m_more; }
  std::string lastKey() const { return m_any ? displayKey(m_last) : std::string(); }

 private:
  const TableMapping& m_mapping;
  std::vector<ColumnKind> m_kinds;
  KeyListReader& m_keys;
  std::uint64_t m_size;
  Key m_last;
  bool m_any = false;
  bool m_more = true;
};

/// Finds ghosts on the server: for keys whose order or equality is the server's own.
std::uint64_t collectByChunks(Connection& connection, const TableMapping& mapping, const SweepRequest& request,
                              KeyListReader& keys, const std::stop_token& stop, ProgressMeter& meter) {
  connection.execScript(kRoomForKeys);
  connection.exec(createKeyTable(mapping));
  const Parameters segment = segmentParameters(mapping, request);
  ChunkedKeys chunks(mapping, keys);
  std::uint64_t ghosts = 0;
  bool analysed = false;
  while (chunks.more()) {
    KeyRange chunk;
    const std::uint64_t copied = chunks.copyNext(connection, stop, chunk);
    // The chunks are alike: what the first one says of them holds for all.
    if (!analysed) connection.exec(kAnalyseKeyTable);
    analysed = true;
    ghosts += connection.exec(collectGhosts(mapping, request, chunk), segment).affected;
    connection.exec(kEmptyKeyTable);
    meter.advance(copied, chunks.lastKey());
  }
  return ghosts;
}

}  // namespace

SweepPreview PostgresSweep::preview(const TableMapping& mapping, const SweepRequest& request, KeyListReader& keys,
                                    std::stop_token stop, ProgressSink& progress) {
  const StopScope scope = m_connection.stopScope(stop);
  ProgressMeter meter(progress, "sweep preview");
  WriteTransaction transaction(m_connection);
  const Parameters segment = segmentParameters(mapping, request);
  execInSchema(m_connection, kForgetPreview, segment);
  execInSchema(m_connection, kForgetGhosts, segment);
  SweepPreview preview;
  preview.ghosts = mergesExactly(mapping) ? mergeGhosts(m_connection, mapping, request, keys, stop, meter)
                                          : collectByChunks(m_connection, mapping, request, keys, stop, meter);
  preview.liveInScope =
      static_cast<std::uint64_t>(m_connection.exec(countLiveRows(mapping, request.scope)).number(0, 0));
  const Result sample = m_connection.exec(sampleGhosts(mapping), segment);
  std::vector<Cell> cells;
  for (const std::vector<Value>& row : sample.rows) {
    cells.clear();
    for (const Value& value : row) cells.push_back(value ? Cell::of(*value) : Cell::null());
    preview.sample.push_back(storedRowOf(mapping, cells, true));
  }
  Parameters stored = segment;
  stored.push_back(arrayText(positionNumbers(mapping, request.boundary)));
  stored.push_back(std::to_string(preview.ghosts));
  stored.push_back(std::to_string(preview.liveInScope));
  m_connection.exec(kStorePreview, stored);
  transaction.commit();
  meter.finish();
  return preview;
}

std::string PostgresSweep::statement(const TableMapping& mapping, const SweepRequest& request) const {
  const std::string boundary = quoteLiteral(arrayText(positionNumbers(mapping, request.boundary)));
  const std::string run = "-- $1 = " + quoteLiteral(request.runId) + ", $2 = " + quoteLiteral(schemaOf(mapping.sink)) +
                          ", $3 = " + quoteLiteral(mapping.sink.name);
  return "BEGIN;\n" + run + ", $4 = " + quoteLiteral(segmentName(request.scope.range)) +
         ",\n-- $5 = " + quoteLiteral(payloadNames(mapping)) + ", $6 = " + boundary + "\n" +
         keepBeforeImages(mapping, request) + ";\n" + run + ", $4 = " + boundary + "\n" + markGhosts(mapping, request) +
         ";\nCOMMIT;";
}

SweepResult PostgresSweep::commit(const TableMapping& mapping, const SweepRequest& request, std::uint64_t tolerance) {
  WriteTransaction transaction(m_connection);
  const Parameters segment = segmentParameters(mapping, request);
  const std::string boundary = arrayText(positionNumbers(mapping, request.boundary));
  const Result preview = execInSchema(m_connection, kReadPreview, segment);
  if (preview.empty()) {
    throw Error(
        "sweep.no_preview",
        "run " + request.runId + " has no preview of a sweep of " + mapping.sink.display() + " for this key range",
        {.hint = "Take the preview first: only what was shown is marked."});
  }
  if (preview.text(0, 0) != boundary) {
    throw Error("sweep.boundary_changed",
                "the preview of " + mapping.sink.display() + " was taken at " + preview.text(0, 0) +
                    ", but the sweep asks for " + boundary,
                {.hint = "Take the preview again at the boundary of this segment."});
  }
  m_connection.execScript(kLookUpByKey);
  Parameters kept = segment;
  kept.push_back(payloadNames(mapping));
  kept.push_back(boundary);
  SweepResult result;
  const std::uint64_t images = m_connection.exec(keepBeforeImages(mapping, request), kept).affected;
  Parameters marked = runParameters(mapping, request.runId);
  marked.push_back(boundary);
  result.marked = m_connection.exec(markGhosts(mapping, request), marked).affected;
  if (result.marked != images) {
    throw Error("sweep.images_differ", "the sweep of " + mapping.sink.display() + " would mark " +
                                           std::to_string(result.marked) + " rows but kept " + std::to_string(images) +
                                           " before-images; nothing was changed");
  }
  const auto previewed = static_cast<std::uint64_t>(preview.number(0, 1));
  result.noLongerQualified = previewed - std::min(previewed, result.marked);
  if (result.noLongerQualified > tolerance) {
    throw Error("sweep.count_changed",
                "the preview of " + mapping.sink.display() + " found " + std::to_string(previewed) + " ghosts, but " +
                    std::to_string(result.marked) + " still qualify; nothing was changed",
                {.hint = "Take the preview again and look at it, or allow a larger tolerance."});
  }
  m_connection.exec(kForgetGhosts, segment);
  m_connection.exec(kEmptyPreview, segment);
  transaction.commit();
  return result;
}

std::uint64_t PostgresSweep::beforeImages(const std::string& runId) {
  const ReadTransaction transaction(m_connection);
  if (!schemaIsThere(m_connection)) return 0;
  const Result result =
      execInSchema(m_connection, "SELECT count(*) FROM tidemark.before_image WHERE run_id = $1", {runId});
  return static_cast<std::uint64_t>(result.number(0, 0));
}

std::vector<Key> PostgresSweep::beforeImageKeys(const TableMapping& mapping, const std::string& runId) {
  const ReadTransaction transaction(m_connection);
  if (!schemaIsThere(m_connection)) return {};
  return imageKeys(mapping, runId);
}

std::vector<Key> PostgresSweep::imageKeys(const TableMapping& mapping, const std::string& runId) {
  const Result images = m_connection.exec(remainingImages(mapping), runParameters(mapping, runId));
  std::vector<Key> keys;
  for (std::size_t i = 0; i < images.rows.size(); ++i) keys.push_back(readKey(images.text(i, 0)));
  return keys;
}

UndoResult PostgresSweep::undo(const TableMapping& mapping, const std::string& runId) {
  WriteTransaction transaction(m_connection);
  const Parameters run = runParameters(mapping, runId);
  Parameters columns = run;
  columns.push_back(payloadNames(mapping));
  const Result other = execInSchema(m_connection, kOtherColumns, columns);
  if (!other.empty()) {
    throw Error("sweep.columns_changed",
                "the before-images of run " + runId + " have the columns " + other.text(0, 0) +
                    ", but the mapping of " + mapping.sink.display() + " has " + payloadNames(mapping),
                {.hint = "Undo with the mapping that the sweep was made with."});
  }
  UndoResult result;
  m_connection.execScript(kLookUpByKey);
  result.restored = m_connection.exec(restoreImages(mapping), run).affected;
  result.changedSince = imageKeys(mapping, runId);
  transaction.commit();
  return result;
}

void PostgresSweep::forget(const std::string& runId) {
  WriteTransaction transaction(m_connection);
  for (const char* table : {"ghost", "sweep_preview", "before_image"}) {
    execInSchema(m_connection, std::string("DELETE FROM tidemark.") + table + " WHERE run_id = $1", {runId});
  }
  transaction.commit();
}

}  // namespace tidemark::postgres
