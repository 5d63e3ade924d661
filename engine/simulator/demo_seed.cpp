#include "engine/simulator/demo_seed.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <random>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/simulator/feeder.h"
#include "engine/simulator/session.h"
#include "engine/sqlite/sqlite_sink.h"

namespace tidemark::simulator {

namespace {

constexpr std::size_t kRowsPerTransaction = 250;
constexpr std::size_t kRowsPerLostTransaction = 10;
constexpr std::int64_t kFirstMoment = 1'767'225'600'000'000;  // 2026-01-01, in microseconds
constexpr std::array<const char*, 4> kStatuses{"new", "paid", "packed", "shipped"};

std::string amount(std::uint64_t cents) {
  std::string fraction = std::to_string(cents % 100);
  if (fraction.size() < 2) fraction.insert(0, 1, '0');
  return std::to_string(cents / 100) + "." + fraction;
}

std::string longNote(std::mt19937_64& random) {
  std::string note;
  while (note.size() <= kLongNote) note += std::to_string(random()) + " ";
  return note;
}

/// Applies `change` to the keys, `perTransaction` at a time, and returns the transactions' ids.
template <typename Change>
std::vector<std::int64_t> inTransactions(SimulatedSession& session, std::span<const std::int64_t> keys,
                                         std::size_t perTransaction, const Change& change) {
  std::vector<std::int64_t> transactions;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    change(keys[i]);
    if ((i + 1) % perTransaction == 0 || i + 1 == keys.size()) transactions.push_back(session.commit());
  }
  return transactions;
}

/// Writes the source's history and remembers which transactions the sink shall never get.
class History {
 public:
  History(SimulatedDatabase& database, const DemoPlan& plan)
      : m_session(database.connect("shop", "history")), m_plan(plan), m_keys(keysOf(plan)) {}

  void write() {
    insertDelivered();
    ordinaryHistory();
    loseChanges();
  }
  const std::set<std::int64_t>& lost() const { return m_lost; }

 private:
  static bool hasMarker(std::size_t index) { return index % 4 == 3; }

  std::int64_t nextMoment() { return m_moment += 1'000'003; }

  void insert(std::int64_t id) {
    Order order = demoOrder(id, m_plan.seed);
    order.updatedAt = canonicalTimestamp(nextMoment());
    m_session->insert(order);
  }
  void update(std::int64_t id, const std::string& status) {
    m_session->update(id, [&](Order& order) {
      order.status = status;
      order.updatedAt = canonicalTimestamp(nextMoment());
    });
  }
  void lose(const std::vector<std::int64_t>& transactions) { m_lost.insert(transactions.begin(), transactions.end()); }

  void insertDelivered() {
    std::vector<std::int64_t> delivered = m_keys.ordinary;
    delivered.insert(delivered.end(), m_keys.stale.begin(), m_keys.stale.end());
    delivered.insert(delivered.end(), m_keys.ghosts.begin(), m_keys.ghosts.end());
    delivered.push_back(m_keys.straddler);
    delivered.push_back(m_keys.older);
    for (std::size_t i = 0; i < m_keys.missing.size(); ++i) {
      if (hasMarker(i)) delivered.push_back(m_keys.missing[i]);
    }
    std::sort(delivered.begin(), delivered.end());
    inTransactions(*m_session, delivered, kRowsPerTransaction, [&](std::int64_t id) { insert(id); });
  }

  void ordinaryHistory() {
    const std::span<const std::int64_t> ordinary(m_keys.ordinary);
    const auto updated = ordinary.subspan(0, ordinary.size() / 20);
    const auto deleted = updated.subspan(0, updated.size() / 5);
    const auto recreated = deleted.subspan(0, deleted.size() / 2);
    inTransactions(*m_session, updated, kRowsPerTransaction, [&](std::int64_t id) { update(id, "paid"); });
    inTransactions(*m_session, deleted, kRowsPerTransaction, [&](std::int64_t id) { m_session->remove(id); });
    inTransactions(*m_session, recreated, kRowsPerTransaction, [&](std::int64_t id) { insert(id); });
    std::vector<std::int64_t> deletedInSink;
    for (std::size_t i = 0; i < m_keys.missing.size(); ++i) {
      if (hasMarker(i)) deletedInSink.push_back(m_keys.missing[i]);
    }
    inTransactions(*m_session, deletedInSink, kRowsPerTransaction, [&](std::int64_t id) { m_session->remove(id); });
  }

  void loseChanges() {
    lose(inTransactions(*m_session, m_keys.missing, kRowsPerLostTransaction, [&](std::int64_t id) { insert(id); }));
    lose(inTransactions(*m_session, m_keys.stale, kRowsPerLostTransaction,
                        [&](std::int64_t id) { update(id, "corrected"); }));
    lose(inTransactions(*m_session, m_keys.ghosts, kRowsPerLostTransaction,
                        [&](std::int64_t id) { m_session->remove(id); }));
  }

  std::unique_ptr<SimulatedSession> m_session;
  DemoPlan m_plan;
  DemoKeys m_keys;
  std::int64_t m_moment = kFirstMoment;
  std::set<std::int64_t> m_lost;
};

void makeWorld(const std::filesystem::path& folder, const DemoPlan& plan) {
  const auto database = SimulatedDatabase::open(sourceFolder(folder));
  History history(*database, plan);
  history.write();
  createDemoSink(demoSinkFile(folder));
  const auto sink = openSqliteSink(demoSinkFile(folder));
  sink->ensureSchema();
  sink->storeLineage(demoMapping(), database->lineage());
  ConnectorOptions options;
  options.lose = history.lost();
  Feeder(SimulatedConnector(database, options), *sink, demoMapping()).drain();
}

std::filesystem::path planFile(const std::filesystem::path& folder) {
  return folder / "demo.json";
}

DemoPlan readPlan(const std::filesystem::path& file) {
  try {
    const auto json = nlohmann::json::parse(std::ifstream(file));
    DemoPlan plan;
    plan.rows = json.at("rows").get<std::int64_t>();
    plan.differences.missing = json.at("missing").get<std::uint64_t>();
    plan.differences.stale = json.at("stale").get<std::uint64_t>();
    plan.differences.ghosts = json.at("ghosts").get<std::uint64_t>();
    plan.seed = json.at("seed").get<std::uint64_t>();
    return plan;
  } catch (const nlohmann::json::exception& error) {
    throw Error("simulator.storage", "the demo's file " + file.string() + " cannot be read",
                {.hint = "Remove the demo's folder: it is made anew.", .technical = error.what()});
  }
}

/// Only written when the rest of the folder is complete, and renamed into place.
void writePlan(const std::filesystem::path& file, const DemoPlan& plan) {
  const std::filesystem::path part = file.string() + ".part";
  std::ofstream(part) << nlohmann::json{
      {"rows", plan.rows},
      {"missing", plan.differences.missing},
      {"stale", plan.differences.stale},
      {"ghosts", plan.differences.ghosts},
      {"seed", plan.seed}}.dump(2);
  std::error_code error;
  std::filesystem::rename(part, file, error);
  if (error) {
    throw Error("simulator.storage", "the demo's file " + file.string() + " cannot be written: " + error.message());
  }
}

void removeInterrupted(const std::filesystem::path& folder) {
  std::filesystem::remove_all(sourceFolder(folder));
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::filesystem::remove(demoSinkFile(folder).string() + ending);
  }
}

}  // namespace

std::filesystem::path sourceFolder(const std::filesystem::path& folder) {
  return folder / "source";
}

std::filesystem::path demoSinkFile(const std::filesystem::path& folder) {
  return folder / "sink.db";
}

DemoKeys keysOf(const DemoPlan& plan) {
  DemoKeys keys;
  keys.straddler = plan.rows / 2;
  keys.older = plan.rows / 2 + 1;
  std::vector<std::int64_t> all(static_cast<std::size_t>(plan.rows));
  std::iota(all.begin(), all.end(), 1);
  std::erase_if(all, [&](std::int64_t id) { return id == keys.straddler || id == keys.older; });
  std::mt19937_64 random(plan.seed);
  // Not std::shuffle, whose order is the library's own.
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
  auto next = all.begin();
  const auto take = [&](std::uint64_t count) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    std::vector<std::int64_t> taken(next, end);
    next = end;
    return taken;
  };
  keys.missing = take(plan.differences.missing);
  keys.stale = take(plan.differences.stale);
  keys.ghosts = take(plan.differences.ghosts);
  keys.ordinary.assign(next, all.end());
  return keys;
}

std::unordered_set<std::int64_t> reservedKeys(const DemoKeys& keys) {
  std::unordered_set<std::int64_t> reserved{keys.straddler, keys.older};
  for (const auto* lost : {&keys.missing, &keys.stale, &keys.ghosts}) reserved.insert(lost->begin(), lost->end());
  return reserved;
}

DemoPlan prepareFolder(const std::filesystem::path& folder, const DemoOptions& options) {
  if (std::filesystem::exists(planFile(folder))) return readPlan(planFile(folder));
  const DemoPlan plan{options.rows, options.differences, options.seed};
  const SeededDifferences& lost = plan.differences;
  if (lost.missing + lost.stale + lost.ghosts + 20 > static_cast<std::uint64_t>(plan.rows)) {
    throw Error("simulator.plan", "a demo of " + std::to_string(plan.rows) + " rows has too few for its differences",
                {.hint = "Ask for more rows or for fewer differences."});
  }
  {
    // Whoever has the source open is making the folder at this moment.
    const auto guard = SimulatedDatabase::open(sourceFolder(folder));
  }
  removeInterrupted(folder);
  makeWorld(folder, plan);
  writePlan(planFile(folder), plan);
  return plan;
}

Order demoOrder(std::int64_t id, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(id));
  Order order;
  order.id = id;
  order.customer = "customer " + std::to_string(random() % 5000);
  order.status = kStatuses[random() % kStatuses.size()];
  order.total = amount(random() % 100'000);
  if (id % 50 == 0) {
    order.note = longNote(random);
  } else if (random() % 3 == 0) {
    order.note = "leave at door " + std::to_string(random() % 100);
  }
  order.updatedAt = canonicalTimestamp(kFirstMoment);
  return order;
}

}  // namespace tidemark::simulator
