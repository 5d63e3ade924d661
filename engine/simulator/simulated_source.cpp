#include "engine/simulator/simulated_source.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/simulator/source_rows.h"
#include "engine/simulator/sql.h"

namespace tidemark {

namespace {

using simulator::Snapshot;
using simulator::Statement;
namespace sql = simulator::sql;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kObserverInterval{1000};

/// Passed, or failed when there is a way out to name.
Finding finding(std::string id, std::string title, std::string measured, std::string limit, std::string hint = {}) {
  Finding made;
  made.id = std::move(id);
  made.title = std::move(title);
  made.severity = hint.empty() ? Severity::Pass : Severity::Failure;
  made.measured = std::move(measured);
  made.limit = std::move(limit);
  made.source = "simulator";
  made.hint = std::move(hint);
  return made;
}

class SimulatedSource final : public Source {
 public:
  explicit SimulatedSource(std::shared_ptr<SimulatedDatabase> database) : m_database(std::move(database)) {}

  TableShape describe(const TableName& table) override;
  TableEstimate estimate(const TableMapping& mapping, const Scope& scope) override;
  std::vector<Finding> inspect(const TableMapping& mapping, const Scope& scope) override;
  std::vector<Finding> inspectLog() override;
  Lineage lineage() override { return m_database->lineage(); }
  std::int64_t newestPosition() override { return m_database->insertPosition(); }
  std::optional<bool> unchangedSince(const TableMapping& mapping, const Boundary& boundary) override;
  Boundary captureBoundary(const BoundaryOptions& options, std::stop_token stop,
                           const BoundaryObserver& observer) override;
  std::unique_ptr<SegmentStream> openSegment(const TableMapping& mapping, const Scope& scope,
                                             const Boundary& boundary) override;
  void confirmRead(const Boundary& boundary, std::stop_token stop) override;
  std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys,
                                  const Boundary& boundary) override;
  std::uint64_t countKeys(const TableMapping& mapping, const KeyRange& range) override;
  std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope) override;
  std::vector<KeyRange> splitRange(const TableMapping& mapping, const KeyRange& range,
                                   std::uint64_t rowsPerRange) override;
  std::optional<RangeDigest> digest(const TableMapping&, const Scope&, DigestMethod) override { return std::nullopt; }
  std::vector<DigestMethod> digestMethods(const TableMapping&) override { return {}; }
  std::string loadStatement(const TableMapping& mapping, const Scope& scope) override;
  void checkFilter(const TableMapping& mapping, const std::string& condition) override;
  std::string describeConnection() override;
  std::unique_ptr<Source> clone() override { return openSimulatedSource(m_database); }

 private:
  void requireTable(const TableName& table) const;
  void waitForOlder(std::int64_t transactionId, const BoundaryOptions& options, std::stop_token stop,
                    const BoundaryObserver& observer, Boundary& boundary);

  std::shared_ptr<SimulatedDatabase> m_database;
};

void SimulatedSource::requireTable(const TableName& table) const {
  if (table.name == "orders" && table.schema.empty()) return;
  throw Error("source.no_table", "the simulated source has no table " + table.display(),
              {.hint = "Its one table is orders, without a schema."});
}

TableShape SimulatedSource::describe(const TableName& table) {
  requireTable(table);
  return simulatedOrdersShape();
}

TableEstimate SimulatedSource::estimate(const TableMapping& mapping, const Scope& scope) {
  requireTable(mapping.source);
  Snapshot snapshot(m_database->file());
  const sql::Query query = sql::estimate(mapping, scope);
  Statement statement(snapshot.file(), query.text);
  for (const std::int64_t value : query.values) statement.bind(value);
  statement.execute().next();
  return {static_cast<std::uint64_t>(statement.integer(0)), static_cast<std::uint64_t>(statement.integer(1)), true};
}

std::vector<Finding> SimulatedSource::inspect(const TableMapping& mapping, const Scope&) {
  requireTable(mapping.source);
  const bool keyMatches = mapping.key.size() == 1 && mapping.key.front().source == "id";
  std::string unknown;
  const TableShape shape = simulatedOrdersShape();
  for (const ColumnPair& column : mapping.payload) {
    if (shape.find(column.source) == nullptr) unknown += (unknown.empty() ? "" : ", ") + column.source;
  }
  return {
      finding("source.primary_key", "The mapping's key is the primary key", "id bigint, not deferrable", "",
              keyMatches ? "" : "Map the key to id alone."),
      finding("source.columns", "Every mapped column exists and has a type that is carried",
              unknown.empty() ? std::to_string(mapping.payload.size()) + " columns" : "missing: " + unknown, "",
              unknown.empty() ? "" : "Take these columns out of the mapping."),
      finding("source.primary", "The server is a primary", "the only server", ""),
      finding("source.row_security", "No row is hidden from the reader", "no row security", ""),
  };
}

std::vector<Finding> SimulatedSource::inspectLog() {
  const std::int64_t behind = m_database->insertPosition() - m_database->restartPosition(lineage().slot);
  return {
      finding("log.slot", "The slot is not lost", "reserved", "reserved or extended"),
      finding("log.retained", "The log goes back to what the connector still needs",
              std::to_string(behind) + " bytes behind the newest position, all kept", ""),
      finding("log.prepared", "No prepared transaction is left behind", "0", "0"),
  };
}

std::optional<bool> SimulatedSource::unchangedSince(const TableMapping& mapping, const Boundary& boundary) {
  requireTable(mapping.source);
  return !m_database->changedSince(boundary.low);
}

Boundary SimulatedSource::captureBoundary(const BoundaryOptions& options, std::stop_token stop,
                                          const BoundaryObserver& observer) {
  const auto hooks = m_database->hooks();
  if (hooks->boundaryBegins) hooks->boundaryBegins();
  Boundary boundary;
  boundary.lineage = lineage();
  boundary.serverStart = m_database->serverStart();
  boundary.restartLsn = formatLsn(m_database->restartPosition(boundary.lineage.slot));
  // Nothing to flush: what lies below `low` is durable when its transaction has ended, and that is waited for.
  boundary.low = m_database->insertPosition();
  const std::int64_t transactionId = m_database->takeTransactionId();
  boundary.transactionId = std::to_string(transactionId);
  if (hooks->transactionIdTaken) hooks->transactionIdTaken();
  waitForOlder(transactionId, options, stop, observer, boundary);
  boundary.settled = m_database->insertPosition();
  boundary.position = boundaryPosition(options.scheme, boundary.low);
  return boundary;
}

void SimulatedSource::waitForOlder(std::int64_t transactionId, const BoundaryOptions& options, std::stop_token stop,
                                   const BoundaryObserver& observer, Boundary& boundary) {
  const auto began = steady_clock::now();
  milliseconds step{0};
  while (!m_database->waitForXminAbove(transactionId, step, stop)) {
    if (stop.stop_requested()) throw Cancelled();
    boundary.waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began);
    const std::vector<Blocker> blockers = m_database->runningUpTo(transactionId);
    for (const Blocker& blocker : blockers) {
      const auto seen = std::find_if(boundary.heldBackBy.begin(), boundary.heldBackBy.end(), [&](const Blocker& known) {
        return known.transactionId == blocker.transactionId;
      });
      if (seen == boundary.heldBackBy.end()) {
        boundary.heldBackBy.push_back(blocker);
      } else {
        *seen = blocker;
      }
    }
    if (boundary.waited >= options.timeout) {
      std::string names;
      for (const Blocker& blocker : blockers) {
        names += (names.empty() ? "" : ", ") +
                 ("pid " + std::to_string(blocker.pid) + " (" + blocker.user + ", " + blocker.application + ")");
      }
      throw Error("boundary.timeout", "transactions that began before the boundary are still open: " + names,
                  {.hint = "Let them end, or end them, and capture the boundary again.", .retryCanHelp = true});
    }
    if (observer && !blockers.empty() && !observer(blockers, boundary.waited)) {
      throw Error("boundary.given_up", "waiting for older transactions was given up on request");
    }
    step = std::min(kObserverInterval, std::max(milliseconds(1), options.timeout - boundary.waited));
  }
  boundary.waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began);
}

std::unique_ptr<SegmentStream> SimulatedSource::openSegment(const TableMapping& mapping, const Scope& scope,
                                                            const Boundary&) {
  requireTable(mapping.source);
  return simulator::streamSegment(m_database, mapping, scope);
}

void SimulatedSource::confirmRead(const Boundary& boundary, std::stop_token) {
  requireSameLineage(boundary.lineage, lineage());
  if (boundary.serverStart == m_database->serverStart()) return;
  throw Error("boundary.server_restarted", "the boundary was captured on another life of the source",
              {.hint = "Capture the boundary again and load this segment anew."});
}

std::vector<StoredRow> SimulatedSource::readKeys(const TableMapping& mapping, std::span<const Key> keys,
                                                 const Boundary&) {
  requireTable(mapping.source);
  std::vector<std::int64_t> ids;
  ids.reserve(keys.size());
  for (const Key& key : keys) ids.push_back(sql::keyValue(key));
  return simulator::readRows(*m_database, mapping, std::move(ids));
}

std::uint64_t SimulatedSource::countKeys(const TableMapping& mapping, const KeyRange& range) {
  requireTable(mapping.source);
  Snapshot snapshot(m_database->file());
  const sql::Query query = sql::countKeys(mapping, range);
  Statement statement(snapshot.file(), query.text);
  for (const std::int64_t value : query.values) statement.bind(value);
  statement.execute().next();
  return static_cast<std::uint64_t>(statement.integer(0));
}

std::unique_ptr<RowStream> SimulatedSource::rows(const TableMapping& mapping, const Scope& scope) {
  requireTable(mapping.source);
  return simulator::streamRows(*m_database, mapping, sql::liveRows(mapping, scope));
}

std::vector<KeyRange> SimulatedSource::splitRange(const TableMapping& mapping, const KeyRange& range,
                                                  std::uint64_t rowsPerRange) {
  requireTable(mapping.source);
  std::vector<KeyRange> ranges;
  KeyRange rest = range;
  Snapshot snapshot(m_database->file());
  const sql::Query query = sql::rangeEnds(mapping, range, std::max<std::uint64_t>(rowsPerRange, 1));
  Statement statement(snapshot.file(), query.text);
  for (const std::int64_t value : query.values) statement.bind(value);
  statement.execute();
  while (statement.next()) {
    const Key key{statement.text(0)};
    ranges.push_back({rest.from, KeyBound{key, true}});
    rest.from = KeyBound{key, false};
  }
  ranges.push_back(rest);
  return ranges;
}

std::string SimulatedSource::loadStatement(const TableMapping& mapping, const Scope& scope) {
  return sql::withValues(sql::segment(mapping, scope));
}

void SimulatedSource::checkFilter(const TableMapping& mapping, const std::string& condition) {
  requireTable(mapping.source);
  Snapshot snapshot(m_database->file());
  try {
    Statement(snapshot.file(), sql::filterProbe(mapping, condition)).execute();
  } catch (const Error& error) {
    throw Error("filter.does_not_parse", "the filter is no condition on " + mapping.source.display(),
                {.hint = "Write a condition on the table's columns, as behind WHERE.",
                 .technical = error.what(),
                 .systemCode = error.detail().systemCode});
  }
}

std::string SimulatedSource::describeConnection() {
  return "Simulated source " + m_database->systemId() + ", " + m_database->file().string();
}

}  // namespace

std::unique_ptr<Source> openSimulatedSource(std::shared_ptr<SimulatedDatabase> database) {
  return std::make_unique<SimulatedSource>(std::move(database));
}

TableShape simulatedOrdersShape() {
  return {{"", "orders"},
          {{"id", {ColumnKind::BigInt, "bigint", std::nullopt}, false},
           {"customer", {ColumnKind::Text, "text", std::nullopt}, false},
           {"status", {ColumnKind::Text, "text", std::nullopt}, false},
           {"total", {ColumnKind::Numeric, "numeric(12,2)", 2}, false},
           {"note", {ColumnKind::Text, "text", std::nullopt}, true},
           {"updated_at", {ColumnKind::TimestampTz, "timestamp with time zone", std::nullopt}, false}},
          {0}};
}

}  // namespace tidemark
