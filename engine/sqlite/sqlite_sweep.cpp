#include <algorithm>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "engine/sqlite/sqlite_catalog.h"
#include "engine/sqlite/sqlite_sql.h"
#include "engine/sqlite/sqlite_writer.h"

namespace tidemark::sqlite {

namespace {

constexpr std::size_t kSample = 20;

/// Names a segment by its range: each one has ghosts of its own under the run.
std::string segmentOf(const KeyRange& range) {
  std::string text;
  if (range.from) text += (range.from->inclusive ? "from " : "after ") + keyText(range.from->key);
  text += "\n";
  if (range.to) text += (range.to->inclusive ? "to " : "before ") + keyText(range.to->key);
  return text;
}

void sortKeys(const TableMapping& mapping, std::vector<Key>& keys) {
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  std::ranges::sort(keys, [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) < 0; });
}

/// Refuses a stream that is not strictly ascending: a merge of two orders would take live rows for ghosts.
class OrderCheck {
 public:
  OrderCheck(std::vector<ColumnKind> kinds, std::string what) : m_kinds(std::move(kinds)), m_what(std::move(what)) {}
  void see(const Key& key) {
    if (m_any && compareKeys(m_kinds, m_last, key) >= 0) {
      ErrorDetail detail;
      detail.hint = "Nothing was marked. Load the segment anew, so that its key list is written again.";
      detail.technical = displayKey(m_last) + " is followed by " + displayKey(key);
      throw Error("keys.not_sorted", m_what + " is not in key order", detail);
    }
    m_last = key;
    m_any = true;
  }

 private:
  std::vector<ColumnKind> m_kinds;
  std::string m_what;
  Key m_last;
  bool m_any = false;
};

std::string copyOf(const Row& payload) {
  std::string text;
  appendCopyRow(text, payload);
  return text;
}

Row payloadFrom(const std::string& text, std::size_t columns) {
  Row payload;
  if (columns > 0) readCopyRow(text, payload);
  return payload;
}

}  // namespace

SweepPreview Sweeping::preview(const TableMapping& mapping, const SweepRequest& request, KeyListReader& keys,
                               std::stop_token stop, ProgressSink& progress) {
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  SweepPreview preview;
  preview.liveInScope = m_reading.countLive(mapping, request.scope);
  ProgressMeter meter(progress, "sweep preview", preview.liveInScope);
  // The spool is a temporary table: while the sink is read, nobody else's writes wait for this preview.
  m_connection.execute(text::createSpool);
  m_connection.execute(text::emptySpool);
  Statement spool = m_connection.prepare(text::insertSpool);
  {
    const auto rows = m_reading.rows(mapping, request.scope, SinkRows::LiveBelow, request.boundary, false);
    OrderCheck rowOrder(kinds, "the table " + mapping.sink.display());
    OrderCheck keyOrder(kinds, "the key list");
    Key listed;
    const auto nextListed = [&] {
      if (!keys.next(listed)) return false;
      keyOrder.see(listed);
      return true;
    };
    bool hasListed = nextListed();
    for (StoredRow row; rows->next(row);) {
      if (stop.stop_requested()) throw Cancelled();
      rowOrder.see(row.key);
      while (hasListed && compareKeys(kinds, listed, row.key) < 0) hasListed = nextListed();
      if (!hasListed || compareKeys(kinds, listed, row.key) != 0) {
        spool.text(keyText(row.key)).run();
        ++preview.ghosts;
        if (preview.sample.size() < kSample) preview.sample.push_back(row);
      }
      meter.advance(1);
    }
    // To the end: only there does a list prove that it is complete.
    while (hasListed) hasListed = nextListed();
  }
  const std::string segment = segmentOf(request.scope.range);
  Transaction transaction(m_connection);
  m_connection.prepare(text::deleteGhosts).text(request.runId).text(tableId(mapping)).text(segment).run();
  m_connection.prepare(text::insertGhosts).text(request.runId).text(tableId(mapping)).text(segment).run();
  transaction.commit();
  m_connection.execute(text::emptySpool);
  for (StoredRow& row : preview.sample) {
    if (auto whole = m_reading.readKey(mapping, row.key)) row = std::move(*whole);
  }
  meter.finish();
  return preview;
}

void Sweeping::keepBeforeImage(const TableMapping& mapping, const SweepRequest& request, const StoredRow& row) {
  Key position;
  for (const std::int64_t element : row.position.element) position.push_back(std::to_string(element));
  m_connection.cached(text::insertBeforeImage)
      .text(request.runId)
      .text(tableId(mapping))
      .text(keyText(row.key))
      .text(copyOf(row.payload))
      .text(keyText(position))
      .integer(request.boundary.element[0])
      .integer(request.boundary.element[1])
      .integer(request.boundary.element[2])
      .run();
}

bool Sweeping::sweepOne(const TableMapping& mapping, const SweepRequest& request, const Key& key) {
  const std::optional<StoredRow> row = m_reading.readKey(mapping, key);
  if (!row) return false;
  Statement& mark = m_connection.cached(markGhost(mapping));
  const Row payload = markerPayload(mapping);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    bindCell(mark, mapping.payload[i].type.kind, payload[i], mapping.payload[i].sink);
  }
  bindPosition(mark, mapping, request.boundary);
  bindKey(mark, mapping, key);
  bindPosition(mark, mapping, request.boundary);
  if (mark.run() == 0) return false;
  keepBeforeImage(mapping, request, *row);
  return true;
}

SweepResult Sweeping::commit(const TableMapping& mapping, const SweepRequest& request, std::uint64_t tolerance) {
  requireColumns(m_connection, mapping);
  SweepResult result;
  Transaction transaction(m_connection);
  {
    Statement ghosts = m_connection.prepare(text::selectGhosts);
    ghosts.text(request.runId).text(tableId(mapping)).text(segmentOf(request.scope.range)).query();
    while (ghosts.next()) {
      const bool marked = sweepOne(mapping, request, keyFromText(ghosts.textAt(0)));
      ++(marked ? result.marked : result.noLongerQualified);
    }
  }
  if (result.noLongerQualified > tolerance) {
    ErrorDetail detail;
    detail.hint = "Nothing was marked. Make a new preview, look at it again, then commit that one.";
    throw Error("sweep.count_changed",
                "of the " + std::to_string(result.marked + result.noLongerQualified) +
                    " rows that the preview showed, " + std::to_string(result.noLongerQualified) +
                    " no longer qualify; " + std::to_string(tolerance) + " may",
                detail);
  }
  m_connection.prepare(text::deleteGhosts)
      .text(request.runId)
      .text(tableId(mapping))
      .text(segmentOf(request.scope.range))
      .run();
  transaction.commit();
  return result;
}

std::uint64_t Sweeping::beforeImages(const std::string& runId) {
  if (!m_reading.hasTable("tidemark_before_image")) return 0;
  Statement statement = m_connection.prepare(text::countBeforeImages);
  statement.text(runId).query().next();
  return static_cast<std::uint64_t>(statement.integerAt(0));
}

std::vector<Sweeping::Image> Sweeping::imagesAfter(const TableMapping& mapping, const std::string& runId,
                                                   const std::optional<std::string>& last) {
  std::vector<Image> images;
  Statement& select = m_connection.cached(text::selectBeforeImages);
  select.text(runId).text(tableId(mapping)).text(last.value_or("")).integer(last ? 0 : 1).query();
  while (select.next()) {
    images.push_back({select.textAt(0), select.textAt(1),
                      Position{{select.integerAt(2), select.integerAt(3), select.integerAt(4)}}});
  }
  return images;
}

bool Sweeping::restore(const TableMapping& mapping, const Image& image) {
  Statement& statement = m_connection.cached(restoreRow(mapping));
  const Row payload = payloadFrom(image.payload, mapping.payload.size());
  for (std::size_t i = 0; i < payload.size(); ++i) {
    bindCell(statement, mapping.payload[i].type.kind, payload[i], mapping.payload[i].sink);
  }
  bindKey(statement, mapping, keyFromText(image.key));
  bindPosition(statement, mapping, image.boundary);
  return statement.run() > 0;
}

std::vector<Key> Sweeping::beforeImageKeys(const TableMapping& mapping, const std::string& runId) {
  if (!m_reading.hasTable("tidemark_before_image")) return {};
  std::vector<Key> keys;
  std::optional<std::string> last;
  for (auto images = imagesAfter(mapping, runId, last); !images.empty(); images = imagesAfter(mapping, runId, last)) {
    last = images.back().key;
    for (const Image& image : images) keys.push_back(keyFromText(image.key));
  }
  sortKeys(mapping, keys);
  return keys;
}

UndoResult Sweeping::undo(const TableMapping& mapping, const std::string& runId) {
  requireColumns(m_connection, mapping);
  UndoResult result;
  Transaction transaction(m_connection);
  // Page by page: the images of a large sweep do not fit into memory, and they are deleted on the way.
  std::optional<std::string> last;
  for (auto images = imagesAfter(mapping, runId, last); !images.empty(); images = imagesAfter(mapping, runId, last)) {
    last = images.back().key;
    for (const Image& image : images) {
      if (!restore(mapping, image)) {
        result.changedSince.push_back(keyFromText(image.key));
        continue;
      }
      ++result.restored;
      m_connection.cached(text::deleteBeforeImage).text(runId).text(tableId(mapping)).text(image.key).run();
    }
  }
  transaction.commit();
  sortKeys(mapping, result.changedSince);
  return result;
}

void Sweeping::forgetRun(const std::string& runId) {
  Transaction transaction(m_connection);
  m_connection.prepare(text::forgetGhosts).text(runId).run();
  m_connection.prepare(text::forgetBeforeImages).text(runId).run();
  transaction.commit();
}

}  // namespace tidemark::sqlite
