#include "engine/simulator/demo_world.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/core/error.h"
#include "engine/simulator/demo_seed.h"
#include "engine/simulator/demo_straddler.h"
#include "engine/simulator/demo_writer.h"
#include "engine/simulator/feeder.h"
#include "engine/simulator/simulated_source.h"
#include "engine/sqlite/sqlite_sink.h"

namespace tidemark {

namespace {
constexpr std::chrono::seconds kStuckAfter{60};
constexpr std::chrono::milliseconds kLook{5};
// Delivery is at least once: now and then a transaction comes twice.
constexpr std::size_t kRepeatEvery = 10;
}  // namespace

struct DemoWorld::State {
  std::filesystem::path folder;
  simulator::DemoPlan plan;
  DemoOptions options;
  std::shared_ptr<SimulatedDatabase> database;
  simulator::WriterPool pool;
  std::optional<simulator::DemoStraddler> straddler;
  std::atomic<std::int64_t> appliedUpTo{0};

  mutable std::mutex failureMutex;
  std::exception_ptr failure;  ///< The first; the thread that met it has ended.

  std::vector<std::jthread> writers;
  std::optional<std::jthread> feeder;

  void guarded(const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      const std::scoped_lock lock(failureMutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void feed(std::stop_token stop) {
    const auto sink = openSqliteSink(simulator::demoSinkFile(folder));
    ConnectorOptions deliveries;
    deliveries.repeatEvery = kRepeatEvery;
    Feeder feed(SimulatedConnector(database, deliveries), *sink, demoMapping());
    feed.onApplied([this](std::int64_t commitEnd) { appliedUpTo = commitEnd; });
    feed.run(std::move(stop));
  }

  void write(int number, std::stop_token stop) { simulator::DemoWriter(pool, number).run(std::move(stop)); }

  void waitForFeeder(std::int64_t commitEnd) const;
};

void DemoWorld::State::waitForFeeder(std::int64_t commitEnd) const {
  const auto deadline = std::chrono::steady_clock::now() + kStuckAfter;
  while (appliedUpTo < commitEnd) {
    {
      const std::scoped_lock lock(failureMutex);
      if (failure) std::rethrow_exception(failure);
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error("simulator.stuck", "the demo's sink has not taken what the source committed",
                  {.hint = "See whether another program holds " + simulator::demoSinkFile(folder).string() + ".",
                   .retryCanHelp = true});
    }
    std::this_thread::sleep_for(kLook);
  }
}

std::unique_ptr<DemoWorld> DemoWorld::open(const std::filesystem::path& folder, const DemoOptions& options) {
  auto state = std::make_unique<State>();
  state->folder = folder;
  state->options = options;
  state->plan = simulator::prepareFolder(folder, options);
  state->database = SimulatedDatabase::open(simulator::sourceFolder(folder));
  const simulator::DemoKeys keys = simulator::keysOf(state->plan);
  const int writers = std::max(options.writers, 1);
  state->pool.database = state->database;
  state->pool.reserved = simulator::reservedKeys(keys);
  state->pool.seed = state->plan.seed;
  state->pool.interval = std::chrono::microseconds(1'000'000L * writers / std::max(options.transactionsPerSecond, 1));
  state->pool.lastKey = state->database->largestKey();
  state->appliedUpTo = SimulatedConnector(state->database).polledUpTo();
  state->straddler.emplace(state->database, keys, options.olderTransactionAge);
  if (options.straddle) state->straddler->install();
  return std::unique_ptr<DemoWorld>(new DemoWorld(std::move(state)));
}

DemoWorld::DemoWorld(std::unique_ptr<State> state) : m_state(std::move(state)) {}

DemoWorld::~DemoWorld() {
  // What cannot be committed any more is rolled back with the sessions.
  m_state->guarded([this] { stop(); });
}

std::shared_ptr<SimulatedDatabase> DemoWorld::database() const {
  return m_state->database;
}

std::filesystem::path DemoWorld::sinkFile() const {
  return simulator::demoSinkFile(m_state->folder);
}

SeededDifferences DemoWorld::seeded() const {
  return m_state->plan.differences;
}

std::int64_t DemoWorld::rows() const {
  return m_state->plan.rows;
}

std::unique_ptr<Source> DemoWorld::openSource() const {
  return openSimulatedSource(m_state->database);
}

std::unique_ptr<Sink> DemoWorld::openSink() const {
  return openSqliteSink(sinkFile());
}

void DemoWorld::start() {
  startFeeder();
  if (!m_state->writers.empty()) return;
  for (int number = 1; number <= m_state->options.writers; ++number) {
    m_state->writers.emplace_back([state = m_state.get(), number](const std::stop_token& stop) {
      state->guarded([&] { state->write(number, stop); });
    });
  }
}

void DemoWorld::startFeeder() {
  if (m_state->feeder) return;
  m_state->feeder.emplace(
      [state = m_state.get()](const std::stop_token& stop) { state->guarded([&] { state->feed(stop); }); });
}

void DemoWorld::stop() {
  for (std::jthread& writer : m_state->writers) writer.request_stop();
  m_state->writers.clear();
  m_state->straddler->commitAll();
  m_state->feeder.reset();
}

void DemoWorld::quiesce() {
  for (std::jthread& writer : m_state->writers) writer.request_stop();
  m_state->writers.clear();
  m_state->straddler->commitAll();
  waitUntilSinkCaughtUp();
}

void DemoWorld::waitUntilSinkCaughtUp() {
  startFeeder();
  m_state->waitForFeeder(m_state->database->newestCommit());
  rethrowFailure();
}

void DemoWorld::rethrowFailure() const {
  const std::scoped_lock lock(m_state->failureMutex);
  if (m_state->failure) std::rethrow_exception(m_state->failure);
}

std::uint64_t DemoWorld::writtenTransactions() const {
  return m_state->pool.transactions;
}

std::int64_t DemoWorld::openStraddler() {
  m_state->straddler->open();
  return m_state->straddler->straddles().back().id;
}

void DemoWorld::commitStraddler() {
  m_state->straddler->commit();
}

std::vector<Straddle> DemoWorld::straddles() const {
  return m_state->straddler->straddles();
}

}  // namespace tidemark
