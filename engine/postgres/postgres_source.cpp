#include "engine/postgres/postgres_source.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/postgres/array_text.h"
#include "engine/postgres/catalogue.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/filter_text.h"
#include "engine/postgres/postgres_boundary.h"
#include "engine/postgres/postgres_source_inspect.h"
#include "engine/postgres/postgres_source_rows.h"
#include "engine/postgres/postgres_source_sql.h"

namespace tidemark {

namespace {

using namespace postgres;

constexpr std::uint64_t kCountedBelow = 20000;  ///< Estimates below this are replaced by a count.
constexpr std::size_t kKeysAtOnce = 10000;
constexpr int kRecordDigestVersion = 140000;

/// One column of the keys as an array parameter.
std::string keyArray(std::span<const Key> keys, std::size_t part) {
  std::vector<std::string> values;
  values.reserve(keys.size());
  for (const Key& key : keys) values.push_back(key.at(part));
  return arrayText(std::span<const std::string>(values));
}

std::uint64_t planRows(const std::string& json) {
  const std::string field = "\"Plan Rows\": ";
  const std::size_t at = json.find(field);
  return at == std::string::npos ? 0 : std::stoull(json.substr(at + field.size()));
}

class PostgresSource final : public Source {
 public:
  PostgresSource(std::string connectionString, std::string slot)
      : m_connectionString(std::move(connectionString)), m_slot(std::move(slot)), m_session(m_connectionString) {}

  TableShape describe(const TableName& table) override { return describeTable(session(), table, "source"); }
  TableEstimate estimate(const TableMapping& mapping, const Scope& scope) override;
  std::vector<Finding> inspect(const TableMapping& mapping, const Scope&) override {
    return inspectSource(session(), mapping);
  }
  std::vector<Finding> inspectLog() override { return inspectSourceLog(session(), m_slot); }
  Lineage lineage() override {
    const ServerLife life = serverLife(session());
    return {life.system, life.timeline, m_slot};
  }
  std::int64_t newestPosition() override { return parseLsn(session().scalar(sql::kNewestPosition).value_or("")); }
  std::optional<bool> unchangedSince(const TableMapping& mapping, const Boundary& boundary) override;

  Boundary captureBoundary(const BoundaryOptions& options, std::stop_token stop,
                           const BoundaryObserver& observer) override;
  std::unique_ptr<SegmentStream> openSegment(const TableMapping& mapping, const Scope& scope,
                                             const Boundary& boundary) override {
    return openSegmentStream(Connection(m_connectionString), mapping, scope, boundary);
  }
  void confirmRead(const Boundary& boundary, std::stop_token stop) override;
  std::vector<StoredRow> readKeys(const TableMapping& mapping, std::span<const Key> keys,
                                  const Boundary& boundary) override;
  std::uint64_t countKeys(const TableMapping& mapping, const KeyRange& range) override {
    return std::stoull(*session().scalar(sql::countRange(mapping, range)));
  }
  std::unique_ptr<RowStream> rows(const TableMapping& mapping, const Scope& scope) override {
    return openRowStream(m_sessions, mapping, scope);
  }
  std::vector<KeyRange> splitRange(const TableMapping& mapping, const KeyRange& range,
                                   std::uint64_t rowsPerRange) override;
  std::optional<RangeDigest> digest(const TableMapping& mapping, const Scope& scope, DigestMethod method) override;
  std::vector<DigestMethod> digestMethods(const TableMapping&) override {
    if (session().serverVersion() < kRecordDigestVersion) return {};
    return {DigestMethod{std::string(kRecordDigest)}};
  }
  std::string loadStatement(const TableMapping& mapping, const Scope& scope) override {
    return sql::lockTable(mapping) + ";\n" + sql::copyOut(sql::loadQuery(mapping, scope));
  }
  void checkFilter(const TableMapping& mapping, const std::string& condition) override;
  std::string describeConnection() override {
    return "PostgreSQL " + session().serverVersionName() + ", " + session().describe();
  }
  std::unique_ptr<Source> clone() override { return std::make_unique<PostgresSource>(m_connectionString, m_slot); }

 private:
  /// The session for everything but streams; opened again when it was lost.
  Connection& session() {
    if (!m_session.alive()) m_session = Connection(m_connectionString);
    m_session.rollback();
    return m_session;
  }
  std::string tableOid(const TableMapping& mapping);
  std::string tablesOf(const std::string& oid);

  std::string m_connectionString;
  std::string m_slot;
  Connection m_session;
  std::shared_ptr<SpareSession> m_sessions = std::make_shared<SpareSession>(m_connectionString);  ///< For rows().
};

std::string PostgresSource::tableOid(const TableMapping& mapping) {
  const std::optional<CatalogueTable> table = findTable(session(), mapping.source);
  if (!table) throw Error("source.no_table", "there is no table " + mapping.source.display());
  return table->oid;
}

/// The table and its partitions as an array of oids.
std::string PostgresSource::tablesOf(const std::string& oid) {
  const Result tables = session().exec(sql::kTableAndPartitions, {oid});
  std::string oids = "{";
  for (std::size_t row = 0; row < tables.rows.size(); ++row) oids += (row == 0 ? "" : ",") + tables.text(row, 0);
  return oids + "}";
}

TableEstimate PostgresSource::estimate(const TableMapping& mapping, const Scope& scope) {
  const Result size = session().exec(sql::kTableSize, {tableOid(mapping)});
  const double tableRows = std::max(1.0, std::stod(size.text(0, 0)));
  const double tableBytes = std::stod(size.text(0, 2));
  TableEstimate estimate;
  const Result plan = session().exec(sql::explainScope(mapping, scope));
  estimate.rows = planRows(plan.text(0, 0));
  if (estimate.rows < kCountedBelow) {
    estimate.rows = std::stoull(*session().scalar(sql::countScope(mapping, scope)));
    estimate.exact = true;
  }
  estimate.bytes =
      static_cast<std::uint64_t>(tableBytes * std::min(1.0, static_cast<double>(estimate.rows) / tableRows));
  return estimate;
}

std::optional<bool> PostgresSource::unchangedSince(const TableMapping& mapping, const Boundary& boundary) {
  if (boundary.changeMark.empty() || serverLife(session()).life != boundary.serverStart) return std::nullopt;
  const std::string oids = tablesOf(tableOid(mapping));
  // Asked before the counters are read: a session that ends in between hands its counts in before it is gone.
  const Result settled = session().exec(sql::kCountersSettled, {oids});
  if (session().scalar(sql::kChangeMark, {oids}) != boundary.changeMark) return false;
  if (settled.truth(0, 1)) return false;
  // Before version 15 an idle session may keep its counts to itself for ever.
  if (!settled.truth(0, 0) || session().serverVersion() < 150000) return std::nullopt;
  return true;
}

Boundary PostgresSource::captureBoundary(const BoundaryOptions& options, std::stop_token stop,
                                         const BoundaryObserver& observer) {
  BoundaryOptions withSlot = options;
  if (withSlot.slot.empty()) withSlot.slot = m_slot;
  std::string mark;
  if (options.table) {
    const std::optional<CatalogueTable> table = findTable(session(), *options.table);
    if (table) mark = session().scalar(sql::kChangeMark, {tablesOf(table->oid)}).value_or("");
  }
  Boundary boundary = postgres::captureBoundary(session(), withSlot, std::move(stop), observer);
  boundary.changeMark = std::move(mark);
  return boundary;
}

void PostgresSource::confirmRead(const Boundary& boundary, std::stop_token stop) {
  try {
    postgres::confirmRead(session(), boundary, stop);
  } catch (const Error& error) {
    if (error.code() != "postgres.lost") throw;
    // The server that answers next tells whether it was the network or the server that went.
    postgres::confirmRead(session(), boundary, stop);
  }
}

std::vector<StoredRow> PostgresSource::readKeys(const TableMapping& mapping, std::span<const Key> keys,
                                                const Boundary& boundary) {
  const std::vector<ColumnKind> kinds = mapping.keyKinds();
  std::vector<Key> wanted(keys.begin(), keys.end());
  std::sort(wanted.begin(), wanted.end(), [&](const Key& a, const Key& b) { return compareKeys(kinds, a, b) < 0; });
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<StoredRow> found;
  Connection& connection = session();
  beginRead(connection, sql::lockTable(mapping), boundary);
  for (std::size_t start = 0; start < wanted.size(); start += kKeysAtOnce) {
    const std::span<const Key> part(wanted.data() + start, std::min(kKeysAtOnce, wanted.size() - start));
    Parameters arrays;
    for (std::size_t column = 0; column < mapping.key.size(); ++column) arrays.emplace_back(keyArray(part, column));
    Result rows = connection.exec(sql::readKeys(mapping), arrays);
    for (auto& row : rows.rows) found.push_back(toStoredRow(mapping, row));
  }
  connection.commit();
  return found;
}

std::vector<KeyRange> PostgresSource::splitRange(const TableMapping& mapping, const KeyRange& range,
                                                 std::uint64_t rowsPerRange) {
  constexpr double kSampledPages = 2000;  // Enough pages that clustered keys do not bend the ranges.
  constexpr double kSampledRows = 200;    // Of each range.
  constexpr double kWorthSampling = 50;   // Percent; above it everything is read.
  const double rowsWanted = static_cast<double>(std::max<std::uint64_t>(rowsPerRange, 1));
  const Result size = session().exec(sql::kTableSize, {tableOid(mapping)});
  const double pages = std::max(1.0, std::stod(size.text(0, 1)));
  double percent = std::max(100 * kSampledPages / pages, 100 * kSampledRows / rowsWanted);
  if (percent > kWorthSampling) percent = 100;
  const auto step = static_cast<std::uint64_t>(std::max(1.0, rowsWanted * percent / 100));
  Result starts = session().exec(sql::splitKeys(mapping, range, percent, step));
  std::vector<KeyRange> ranges(1, range);
  for (auto& row : starts.rows) {
    Key key;
    for (Value& value : row) key.push_back(std::move(value).value());
    KeyRange next{KeyBound{key, true}, range.to};
    ranges.back().to = KeyBound{std::move(key), false};
    ranges.push_back(std::move(next));
  }
  return ranges;
}

std::optional<RangeDigest> PostgresSource::digest(const TableMapping& mapping, const Scope& scope,
                                                  DigestMethod method) {
  if (method.name != kRecordDigest || session().serverVersion() < kRecordDigestVersion) return std::nullopt;
  const Result row = session().exec(digestQuery(mapping, Side::Source, scope));
  RangeDigest digest;
  digest.rows = std::stoull(row.text(0, 0));
  digest.sum = std::stoull(row.text(0, 1));
  return digest;
}

void PostgresSource::checkFilter(const TableMapping& mapping, const std::string& condition) {
  requireSelfContained(condition);
  Connection& connection = session();
  connection.begin(Isolation::ReadCommitted, Access::ReadOnly);
  try {
    connection.exec(sql::prepareFilter(mapping, condition));
    connection.exec(sql::kForgetFilter);
  } catch (const Error& error) {
    connection.rollback();
    const std::string family = error.detail().systemCode.substr(0, 2);
    const bool ofTheText = family == "42" || family == "22" || family == "0A";
    if (!ofTheText || error.code() == "postgres.permission") throw;
    ErrorDetail detail = error.detail();
    detail.hint = "Write one SQL condition on the table's own columns: status = 'open'.";
    throw Error("filter.does_not_parse",
                "the filter is no condition on " + mapping.source.display() + ": " + error.what(), std::move(detail));
  }
  connection.commit();
}

}  // namespace

std::unique_ptr<Source> openPostgresSource(const std::string& connection, const std::string& slot) {
  return std::make_unique<PostgresSource>(connection, slot);
}

}  // namespace tidemark
