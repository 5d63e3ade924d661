#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/core/progress.h"
#include "engine/scope/table_mapping.h"

namespace tidemark {

/// The sinks of the convergence suite: the product's own, and four that are broken on purpose. A test that the broken
/// ones pass proves nothing, so they are run every time.
enum class CertifiedSink {
  Guarded,                ///< Sink::apply on a scratch table.
  NoGuard,                ///< The last delivery wins, inside a batch too.
  NewestTimestamp,        ///< The newest ts_ms wins, in a batch and against the stored row; a tie goes to the later.
  NewestTimestampStrict,  ///< The same, but a stored row with an equal ts_ms stays (in a batch the later still wins).
  PhysicalDelete          ///< Strict guard on the position, but a delete removes the row.
};

inline constexpr std::array<CertifiedSink, 5> kCertifiedSinks{
    CertifiedSink::Guarded, CertifiedSink::NoGuard, CertifiedSink::NewestTimestamp,
    CertifiedSink::NewestTimestampStrict, CertifiedSink::PhysicalDelete};

/// "guarded", "no_guard", "newest_timestamp", "newest_timestamp_strict", "physical_delete".
std::string_view certifiedSinkName(CertifiedSink sink);

/// One delivered event. Every experiment is a world of its own: rows of different worlds never meet, so thousands of
/// experiments share one table and one batch.
struct CertifyEvent {
  std::int64_t world = 0;
  std::int64_t id = 0;
  bool deleted = false;
  std::optional<std::string> value;  ///< Empty for a delete.
  std::int64_t position = -1;        ///< -1 for a read without a position.
  std::int64_t timestamp = 0;        ///< ts_ms: only the broken sinks look at it.
  friend bool operator==(const CertifyEvent&, const CertifyEvent&) = default;
};

/// One row of the scratch table.
struct CertifyRow {
  std::int64_t world = 0;
  std::int64_t id = 0;
  std::optional<std::string> value;
  bool deleted = false;
  std::int64_t position = 0;
  friend bool operator==(const CertifyRow&, const CertifyRow&) = default;
};

/// A database that can be certified. The scratch table has the key (world, id), the payload column value, a position,
/// a marker, and a nullable ts_ms that only the broken sinks write. One thread at a time. Throws Error.
class CertifyDialect {
 public:
  virtual ~CertifyDialect() = default;

  /// Makes the scratch table under a name that no other certification uses.
  virtual void createScratch() = 0;
  virtual void dropScratch() = 0;
  /// Drops scratch tables whose certification is no longer running, and says which.
  virtual std::vector<std::string> dropLeftovers() = 0;
  /// Empties the scratch table.
  virtual void clearScratch() = 0;

  /// The product's own sink and how the scratch table lies in it: scheme lsn, key (world, id), payload (value).
  virtual Sink& sink() = 0;
  virtual const TableMapping& scratchMapping() const = 0;

  /// Applies one batch, in order of delivery, by the rule of a broken sink: one transaction, one row a key first, as
  /// that rule reduces a batch. A batch may hold several events of one key. Never called with Guarded.
  virtual void applyBroken(CertifiedSink rule, std::span<const CertifyEvent> batch) = 0;
  /// The whole scratch table, markers included, in order of (world, id).
  virtual std::vector<CertifyRow> readState() = 0;
};

/// The smallest delivery that still ends wrong, found from the first random log that failed.
struct Counterexample {
  std::uint32_t seed = 0;
  std::vector<CertifyEvent> delivery;
};

struct SinkCertificate {
  std::string name;
  bool sameBatchTwice = false;
  bool replayOneByOne = false;
  bool lateUpdateAfterDelete = false;
  std::uint64_t shufflesThatDiffer = 0;  ///< Of kCertifyShuffles.
  std::uint64_t randomLogsThatFail = 0;  ///< Of kCertifyRandomLogs.
  std::uint64_t ordersThatDiffer = 0;    ///< Of kCertifyOrders.
  std::optional<Counterexample> smallest;

  bool clean() const {
    return sameBatchTwice && replayOneByOne && lateUpdateAfterDelete && shufflesThatDiffer == 0 &&
           randomLogsThatFail == 0 && ordersThatDiffer == 0;
  }
};

inline constexpr std::uint64_t kCertifyShuffles = 200;
inline constexpr std::uint64_t kCertifyRandomLogs = 500;
inline constexpr std::uint64_t kCertifyOrders = 5040;

struct Certificate {
  std::vector<SinkCertificate> sinks;  ///< In the order of kCertifiedSinks.

  /// The guarded sink is clean and every broken one was caught.
  bool passed() const;
};

/// Runs the convergence suite: the same batch twice, a replay one by one, a late update after a delete, 200 shuffles,
/// 500 random logs with shrinking, and every order of seven changes, on all five sinks. The figures are the same on
/// every machine and database. Drops the scratch table at the end, after an error and after a stop too.
/// Throws Cancelled, or Error of the dialect.
Certificate certify(CertifyDialect& dialect, std::stop_token stop, ProgressSink& progress);

}  // namespace tidemark
