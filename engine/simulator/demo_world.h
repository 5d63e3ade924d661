#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/simulator/database.h"
#include "engine/simulator/demo_mapping.h"
#include "engine/source/source.h"

namespace tidemark {

/// What the demo's sink has lost, key by key: exactly these differences are there before a run mends them. Live writers
/// leave these keys alone.
struct SeededDifferences {
  std::uint64_t missing = 120;  ///< Live at the source, not live in the sink (for every fourth a marker stands there).
  std::uint64_t stale = 150;    ///< Live on both sides, the sink's content older.
  std::uint64_t ghosts = 80;    ///< Live in the sink alone.

  friend bool operator==(const SeededDifferences&, const SeededDifferences&) = default;
};

struct DemoOptions {
  // Of a new folder; one that exists keeps what it was made with.
  std::int64_t rows = 20000;
  SeededDifferences differences;
  std::uint64_t seed = 20260101;
  // Of this opening.
  int writers = 3;
  int transactionsPerSecond = 60;                       ///< Of all writers together.
  bool straddle = true;                                 ///< Straddle segments, and hold the first boundary back.
  std::chrono::milliseconds olderTransactionAge{1000};  ///< How long the first boundary is held back.
};

/// One transaction that began before a read and committed after it.
struct Straddle {
  std::int64_t id = 0;  ///< The order it changed; no other writer touches it.
  std::string status;   ///< The newer value, which must be what the sink has in the end.
  bool committed = false;
};

/// The embedded demo: a simulated source with history, a SQLite sink that has lost some of its changes, live writers,
/// and a feeder that keeps the sink streaming. Everything lies in one folder, needs no network, and goes on where it
/// was when it is opened again, also after a kill -9. Functions may be called from any thread, one at a time; the
/// sources and sinks that it opens belong to the thread that asked, and sources go before the world does.
class DemoWorld {
 public:
  /// Opens the world in `folder` and makes it there on first use (a few seconds). Nothing runs before start().
  /// Throws Error "simulator.in_use", "simulator.storage".
  static std::unique_ptr<DemoWorld> open(const std::filesystem::path& folder, const DemoOptions& options = {});
  ~DemoWorld();
  DemoWorld(const DemoWorld&) = delete;
  DemoWorld& operator=(const DemoWorld&) = delete;

  std::shared_ptr<SimulatedDatabase> database() const;
  std::filesystem::path sinkFile() const;
  TableMapping mapping() const { return demoMapping(); }
  SeededDifferences seeded() const;  ///< As the folder was made.
  std::int64_t rows() const;         ///< Likewise: keys 1 to this one existed at the beginning.
  std::unique_ptr<Source> openSource() const;
  std::unique_ptr<Sink> openSink() const;

  /// Starts the live writers and the feeder; those that run already go on.
  void start();
  /// Starts the feeder alone.
  void startFeeder();
  /// Ends writers and feeder and joins their threads. An open straddling transaction is committed first.
  void stop();
  /// Ends the writers, commits what straddles, and waits until the sink has taken everything. start() goes on.
  /// Throws what the feeder or a writer failed with, or Error "simulator.stuck" after a minute.
  void quiesce();
  /// Waits until the sink has taken what was committed before the call; writers go on. Throws as quiesce().
  void waitUntilSinkCaughtUp();
  /// Throws the error that ended the feeder or a writer, if any.
  void rethrowFailure() const;
  /// Transactions that the writers have committed since they were started first.
  std::uint64_t writtenTransactions() const;

  /// By hand: opens the straddling transaction and returns the order it changes; commits it. Automatically one is
  /// opened right before each segment's snapshot and committed when the read has passed its row.
  std::int64_t openStraddler();
  void commitStraddler();
  std::vector<Straddle> straddles() const;

 private:
  struct State;
  explicit DemoWorld(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace tidemark
