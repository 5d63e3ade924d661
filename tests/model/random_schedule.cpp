#include "tests/model/random_schedule.h"

#include <map>
#include <random>

namespace tidemark::model {
namespace {

struct Write {
  int key;
  int value;
  std::int64_t lsn;
};
struct Committed {
  enum class Kind { Transaction, WindowOpen, WindowClose } kind;
  std::int64_t end;
  std::vector<Write> writes;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : m_random(seed) {}

  RandomSchedule run() {
    for (int& value : m_rows) value = chance(80) ? m_nextValue++ : kNoValue;
    const int steps = 12 + below(29);
    for (int step = 0; step < steps; ++step) {
      oneStep();
      if (m_windowPending && m_window && chance(30)) closeWindow();
    }
    if (m_windowPending) closeWindow();
    while (!m_open.empty()) commit(m_open.begin()->first);
    if (!m_started) return {};
    while (m_streamed < m_log.size()) stream();
    deliverAgain();
    return {m_rows, std::move(m_events)};
  }

 private:
  int below(int bound) { return static_cast<int>(m_random() % static_cast<std::uint64_t>(bound)); }
  bool chance(int percent) { return below(100) < percent; }

  void oneStep() {
    const int action = below(100);
    const bool windowIdle = !m_window && !m_windowPending;
    if (action < 20 && m_open.size() < 3) {
      m_open[++m_transactions];
    } else if (action < 55 && !m_open.empty()) {
      write(someTransaction());
    } else if (action < 75 && !m_open.empty()) {
      commit(someTransaction());
    } else if (!m_started) {
      if (chance(50)) start();
    } else if (action < 87) {
      if (m_streamed < m_log.size()) stream();
    } else if (action < 91) {
      if (windowIdle) reset();
    } else if (action < 95) {
      if (windowIdle && m_lastCommit) read(m_lastCommit, m_lastLsn, m_rows);
    } else if (windowIdle && m_lastCommit) {
      openWindow();
    }
  }

  int someTransaction() {
    auto place = m_open.begin();
    std::advance(place, below(static_cast<int>(m_open.size())));
    return place->first;
  }

  void write(int transaction) {
    const int key = below(kRandomKeys);
    const auto owner = m_owner.find(key);
    if (owner != m_owner.end() && owner->second != transaction) return;  // locked
    m_owner[key] = transaction;
    m_lsn += below(3) == 0 ? 8 : 1;
    m_open[transaction].push_back({key, chance(30) ? kNoValue : m_nextValue++, m_lsn});
    m_lsn += 8;
  }

  void commit(int transaction) {
    std::vector<Write> writes = std::move(m_open[transaction]);
    m_open.erase(transaction);
    std::erase_if(m_owner, [&](const auto& owned) { return owned.second == transaction; });
    if (writes.empty()) return;
    for (const Write& change : writes) m_rows[static_cast<std::size_t>(change.key)] = change.value;
    log(Committed::Kind::Transaction, std::move(writes));
  }

  void log(Committed::Kind kind, std::vector<Write> writes) {
    m_lsn += 16;  // the end of a commit record is the start of the next record
    m_log.push_back({kind, m_lsn, std::move(writes)});
  }

  void read(std::optional<std::int64_t> first, std::int64_t lsn, const RandomRows& rows) {
    for (int key = 0; key < kRandomKeys; ++key) {
      const int value = rows[static_cast<std::size_t>(key)];
      if (value != kNoValue) m_events.push_back({key, value, true, first, lsn});
    }
  }

  /// A fresh slot: what is open now is streamed after its read.
  void start() {
    m_streamed = m_log.size();
    read(std::nullopt, m_lsn, m_rows);
    m_started = true;
  }

  void reset() {
    m_lastCommit.reset();
    if (chance(60)) read(std::nullopt, m_lsn, m_rows);
  }

  void stream() {
    const Committed& next = m_log[m_streamed++];
    if (next.kind == Committed::Kind::WindowClose) {
      read(m_lastCommit, m_lastLsn, *m_window);
      m_window.reset();
    }
    for (const Write& change : next.writes) {
      m_events.push_back({change.key, change.value, false, m_lastCommit, change.lsn});
      m_lastLsn = change.lsn;
      if (m_window) (*m_window)[static_cast<std::size_t>(change.key)] = kNoValue;
    }
    m_lastCommit = next.end;
    m_lastLsn = next.end;
  }

  void openWindow() {
    log(Committed::Kind::WindowOpen, {});
    while (m_streamed < m_log.size()) stream();
    m_window = m_rows;
    m_windowPending = true;
  }

  void closeWindow() {
    log(Committed::Kind::WindowClose, {});
    m_windowPending = false;
  }

  /// At least once: the consumer goes back and takes a contiguous part again.
  void deliverAgain() {
    if (m_events.empty() || chance(50)) return;
    const auto size = static_cast<int>(m_events.size());
    const int from = below(size);
    const int to = from + below(size - from + 1);
    std::vector<RandomEvent> delivered(m_events.begin(), m_events.begin() + to);
    delivered.insert(delivered.end(), m_events.begin() + from, m_events.end());
    m_events = std::move(delivered);
  }

  std::mt19937_64 m_random;
  std::int64_t m_lsn = 10;
  int m_nextValue = 1;
  int m_transactions = 0;
  RandomRows m_rows{};
  std::map<int, int> m_owner;
  std::map<int, std::vector<Write>> m_open;
  std::vector<Committed> m_log;
  bool m_started = false;
  std::size_t m_streamed = 0;
  std::optional<std::int64_t> m_lastCommit;
  std::int64_t m_lastLsn = 0;
  std::optional<RandomRows> m_window;
  bool m_windowPending = false;
  std::vector<RandomEvent> m_events;
};

}  // namespace

RandomSchedule randomSchedule(std::uint64_t seed) {
  return Generator(seed).run();
}

}  // namespace tidemark::model
