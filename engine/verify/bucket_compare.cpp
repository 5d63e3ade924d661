#include "engine/verify/bucket_compare.h"

#include "engine/core/error.h"
#include "engine/verify/row_hash.h"

namespace tidemark {

namespace {

constexpr std::uint64_t kRowsBetweenStopChecks = 1024;

/// A stream's current row, with the order of its keys checked.
class OrderedRows {
 public:
  OrderedRows(RowStream& rows, const std::vector<ColumnKind>& kinds, const char* side)
      : m_rows(rows), m_kinds(kinds), m_side(side) {
    m_more = m_rows.next(m_row);
  }

  bool more() const { return m_more; }
  const StoredRow& row() const { return m_row; }

  void advance() {
    std::swap(m_row, m_previous);
    m_more = m_rows.next(m_row);
    if (m_more && compareKeys(m_kinds, m_previous.key, m_row.key) != std::strong_ordering::less) {
      ErrorDetail detail;
      detail.hint = "Both sides must order keys alike: check the collation of the key's text columns.";
      throw Error("verify.key_order",
                  std::string("the ") + m_side + " delivered key " + displayKey(m_row.key) + " after key " +
                      displayKey(m_previous.key),
                  detail);
    }
  }

 private:
  RowStream& m_rows;
  const std::vector<ColumnKind>& m_kinds;
  const char* m_side;
  StoredRow m_row;
  StoredRow m_previous;
  bool m_more = false;
};

class Merge {
 public:
  Merge(const TableMapping& mapping, const CompareOptions& options) : m_mapping(mapping), m_options(options) {}

  void onlySource(const StoredRow& row) {
    if (!row.inFilter) return;
    const std::uint64_t hash = rowHash(row.key, row.payload);
    if (m_options.digests) addRow(m_result.source, hash);
    note({row.key, DifferenceKind::Missing, hash, std::nullopt, kNoPosition});
  }

  void onlySink(const StoredRow& row) {
    const std::uint64_t hash = rowHash(row.key, row.payload);
    sinkRow(row, hash);
    note({row.key, DifferenceKind::Ghost, std::nullopt, hash, row.position});
  }

  void both(const StoredRow& source, const StoredRow& sink) {
    const bool same = sameContent(m_mapping, source.payload, sink.payload);
    if (same && !m_options.digests) {
      sinkRow(sink, 0);
      return;
    }
    const std::uint64_t sourceHash = rowHash(source.key, source.payload);
    // Values that mean the same may be written differently; a digest must not tell them apart.
    const std::uint64_t sinkHash = same ? sourceHash : rowHash(sink.key, sink.payload);
    if (m_options.digests) addRow(m_result.source, sourceHash);
    sinkRow(sink, sinkHash);
    if (!same) {
      note({sink.key, contentDifference(m_options.boundary, sink.position), sourceHash, sinkHash, sink.position});
    }
  }

  BucketComparison take() { return std::move(m_result); }

 private:
  void sinkRow(const StoredRow& row, std::uint64_t hash) {
    if (m_options.digests) addRow(m_result.sink, hash);
    if (!m_result.sink.highest || *m_result.sink.highest < row.position) m_result.sink.highest = row.position;
    if (m_options.boundary && row.position < *m_options.boundary) ++m_result.suspects;
  }

  void note(Candidate candidate) {
    ++countOf(m_result.seen, candidate.seen);
    if (m_result.kept.size() < m_options.keep) m_result.kept.push_back(std::move(candidate));
  }

  const TableMapping& m_mapping;
  const CompareOptions& m_options;
  BucketComparison m_result;
};

class FilterMarkingRows final : public RowStream {
 public:
  FilterMarkingRows(std::unique_ptr<RowStream> all, std::unique_ptr<RowStream> inFilter, std::vector<ColumnKind> kinds)
      : m_all(std::move(all)), m_inFilter(std::move(inFilter)), m_kinds(std::move(kinds)) {
    m_more = m_inFilter->next(m_marked);
  }

  bool next(StoredRow& row) override {
    if (!m_all->next(row)) return false;
    while (m_more && compareKeys(m_kinds, m_marked.key, row.key) < 0) m_more = m_inFilter->next(m_marked);
    row.inFilter = m_more && compareKeys(m_kinds, m_marked.key, row.key) == 0;
    return true;
  }

 private:
  std::unique_ptr<RowStream> m_all;
  std::unique_ptr<RowStream> m_inFilter;
  std::vector<ColumnKind> m_kinds;
  StoredRow m_marked;
  bool m_more = false;
};

}  // namespace

bool sameContent(const TableMapping& mapping, const Row& source, const Row& sink) {
  if (source == sink) return true;
  if (source.size() != sink.size()) return false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!sameValue(mapping.payload[i].type.kind, source[i], sink[i])) return false;
  }
  return true;
}

DifferenceKind contentDifference(const std::optional<Position>& boundary, const Position& sinkPosition) {
  return !boundary || sinkPosition < *boundary ? DifferenceKind::Stale : DifferenceKind::DifferentAtSamePosition;
}

BucketComparison compareBucket(const TableMapping& mapping, RowStream& source, RowStream& sink,
                               const CompareOptions& options, std::stop_token stop) {
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  OrderedRows left(source, kinds, "source");
  OrderedRows right(sink, kinds, "sink");
  Merge merge(mapping, options);
  for (std::uint64_t rows = 0; left.more() || right.more(); ++rows) {
    if (rows % kRowsBetweenStopChecks == 0 && stop.stop_requested()) throw Cancelled();
    std::strong_ordering order = left.more() ? std::strong_ordering::less : std::strong_ordering::greater;
    if (left.more() && right.more()) order = compareKeys(kinds, left.row().key, right.row().key);
    if (order < 0) {
      merge.onlySource(left.row());
    } else if (order > 0) {
      merge.onlySink(right.row());
    } else {
      merge.both(left.row(), right.row());
    }
    if (order <= 0) left.advance();
    if (order >= 0) right.advance();
  }
  return merge.take();
}

std::unique_ptr<RowStream> markFilter(std::unique_ptr<RowStream> all, std::unique_ptr<RowStream> inFilter,
                                      std::vector<ColumnKind> kinds) {
  return std::make_unique<FilterMarkingRows>(std::move(all), std::move(inFilter), std::move(kinds));
}

}  // namespace tidemark
