#pragma once

// Visits every state that a model can reach, each once, and counts the schedules that lead to its ends.

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/model/model.h"

namespace tidemark::model {

struct Exploration {
  std::uint64_t states = 0;  ///< Distinct.
  std::uint64_t ends = 0;    ///< Distinct states that are an end.
  std::uint64_t wrongEnds = 0;
  double schedules = 0;  ///< Orders of events that reach an end.
  double wrongSchedules = 0;
  std::uint64_t doubtfulEnds = 0;           ///< Distinct ends at which a key waits to be read again.
  std::uint32_t actions = 0;                ///< One bit for each action that ever happened.
  std::vector<std::string> counterexample;  ///< The shortest, empty without a wrong end.
};

/// States in the order in which they were found, without ever moving them; looked up by content.
class StateTable {
 public:
  using Index = std::uint32_t;

  StateTable() : m_slots(1U << 16, Slot{kNone, 0}) {}

  /// The state's index, and whether it is new.
  std::pair<Index, bool> insert(const State& state) {
    if ((m_count + 1) * 10 > m_slots.size() * 6) grow();
    const std::uint64_t hash = hashOf(state);
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    while (m_slots[slot].index != kNone) {
      if (m_slots[slot].tag == tag && std::memcmp(&at(m_slots[slot].index), &state, sizeof(State)) == 0) {
        return {m_slots[slot].index, false};
      }
      slot = (slot + 1) & mask;
    }
    const auto index = static_cast<Index>(m_count++);
    if (index % kChunk == 0) m_chunks.push_back(std::make_unique<State[]>(kChunk));
    m_chunks.back()[index % kChunk] = state;
    m_slots[slot] = Slot{index, tag};
    return {index, true};
  }

  const State& at(Index index) const { return m_chunks[index / kChunk][index % kChunk]; }
  std::size_t size() const { return m_count; }

 private:
  static constexpr Index kNone = std::numeric_limits<Index>::max();
  static constexpr std::size_t kChunk = 1U << 14;
  struct Slot {
    Index index;
    std::uint32_t tag;
  };

  static std::uint64_t hashOf(const State& state) {
    std::array<std::uint64_t, (sizeof(State) + 7) / 8> words{};
    std::memcpy(words.data(), &state, sizeof(State));
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (const std::uint64_t word : words) {
      hash = (hash ^ word) * 0xFF51AFD7ED558CCDU;
      hash ^= hash >> 32;
    }
    return hash * 0xC4CEB9FE1A85EC53U ^ (hash >> 29);
  }

  void grow() {
    std::vector<Slot> larger(m_slots.size() * 2, Slot{kNone, 0});
    const std::size_t mask = larger.size() - 1;
    for (const Slot& slot : m_slots) {
      if (slot.index == kNone) continue;
      std::size_t place = static_cast<std::size_t>(hashOf(at(slot.index))) & mask;
      while (larger[place].index != kNone) place = (place + 1) & mask;
      larger[place] = slot;
    }
    m_slots = std::move(larger);
  }

  std::vector<Slot> m_slots;
  std::vector<std::unique_ptr<State[]>> m_chunks;
  std::size_t m_count = 0;
};

/// Goes through the states by rank: every way to a state is known before the state is expanded, so the number of
/// schedules is a sum over its predecessors, and the shortest way to it a minimum.
class Explorer {
 public:
  explicit Explorer(const Model& model) : m_model(model) {}

  Exploration run() {
    visit(m_model.initial(), Origin{0, 0, 0, 0}, 1);
    for (std::size_t rank = 0; rank < m_byRank.size(); ++rank) {
      for (std::size_t i = 0; i < m_byRank[rank].size(); ++i) expand(m_byRank[rank][i]);
      std::vector<StateTable::Index>().swap(m_byRank[rank]);
    }
    m_result.states = m_table.size();
    if (m_result.wrongEnds > 0) m_result.counterexample = wayTo(m_shortestWrong);
    return m_result;
  }

 private:
  struct Origin {
    StateTable::Index parent;
    std::uint16_t length;
    Byte action;
    Byte argument;
  };

  void visit(const State& state, const Origin& origin, double ways) {
    const auto [index, isNew] = m_table.insert(state);
    if (isNew) {
      m_origins.push_back(origin);
      m_ways.push_back(ways);
      const unsigned rank = m_model.rank(state);
      if (rank >= m_byRank.size()) m_byRank.resize(rank + 1);
      m_byRank[rank].push_back(index);
      return;
    }
    m_ways[index] += ways;
    if (origin.length < m_origins[index].length) m_origins[index] = origin;
  }

  void expand(StateTable::Index index) {
    const State& state = m_table.at(index);
    const Origin origin = m_origins[index];
    const double ways = m_ways[index];
    if (m_model.isEnd(state)) countEnd(index, state, ways);
    m_steps.clear();
    m_model.steps(state, m_steps);
    for (const Step& step : m_steps) {
      m_result.actions |= 1U << static_cast<unsigned>(step.action);
      const auto length = static_cast<std::uint16_t>(origin.length + 1);
      visit(step.next, Origin{index, length, static_cast<Byte>(step.action), step.argument}, ways);
    }
  }

  void countEnd(StateTable::Index index, const State& state, double ways) {
    ++m_result.ends;
    m_result.schedules += ways;
    if (state.doubtful != 0) ++m_result.doubtfulEnds;
    if (!m_model.isWrong(state)) return;
    if (m_result.wrongEnds == 0 || m_origins[index].length < m_origins[m_shortestWrong].length) m_shortestWrong = index;
    ++m_result.wrongEnds;
    m_result.wrongSchedules += ways;
  }

  std::vector<std::string> wayTo(StateTable::Index index) const {
    std::vector<std::string> lines{describe(m_table.at(index))};
    for (; m_origins[index].length > 0; index = m_origins[index].parent) {
      const Origin& origin = m_origins[index];
      lines.insert(lines.begin(), describe(static_cast<Action>(origin.action), origin.argument));
    }
    return lines;
  }

  const Model& m_model;
  StateTable m_table;
  std::vector<Origin> m_origins;
  std::vector<double> m_ways;
  std::vector<std::vector<StateTable::Index>> m_byRank;
  Steps m_steps;
  Exploration m_result;
  StateTable::Index m_shortestWrong = 0;
};

inline Exploration explore(const Configuration& configuration) {
  const Model model(configuration);
  return Explorer(model).run();
}

}  // namespace tidemark::model
