#include "engine/verify/crews.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace tidemark {
namespace {

TEST(Crews, EveryPieceIsDoneOnceByEachCrew) {
  std::mutex mutex;
  std::multiset<std::size_t> first;
  std::multiset<std::size_t> second;
  const auto collect = [&](std::multiset<std::size_t>& into) {
    return [&]() -> CrewTask {
      return [&](std::size_t index, const std::stop_token&) {
        const std::lock_guard lock(mutex);
        into.insert(index);
      };
    };
  };
  std::size_t done = 0;
  runCrews({{3, collect(first)}, {2, collect(second)}}, 50, {}, [&](std::size_t pieces) { done += pieces; });
  EXPECT_EQ(done, 100U);
  EXPECT_EQ(first.size(), 50U);
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set<std::size_t>(first.begin(), first.end()).size(), 50U);
}

TEST(Crews, WhatAThreadIsEquippedWithIsMadeAndDestroyedThere) {
  struct Tool {
    std::thread::id made = std::this_thread::get_id();
    std::atomic<int>& wrong;
    explicit Tool(std::atomic<int>& counter) : wrong(counter) {}
    ~Tool() { wrong += std::this_thread::get_id() == made ? 0 : 1; }
  };
  std::atomic<int> wrong{0};
  const auto equip = [&]() -> CrewTask {
    const auto tool = std::make_shared<Tool>(wrong);
    return [&wrong, tool](std::size_t, const std::stop_token&) {
      wrong += std::this_thread::get_id() == tool->made ? 0 : 1;
    };
  };
  runCrews({{4, equip}}, 100, {}, {});
  EXPECT_EQ(wrong, 0);
}

TEST(Crews, AnErrorStopsEverybodyAndIsThrownAgain) {
  const auto equip = []() -> CrewTask {
    return [](std::size_t index, const std::stop_token& stop) {
      if (index == 3) throw Error("test.broken", "piece 3");
      while (index > 3 && !stop.stop_requested()) std::this_thread::yield();
    };
  };
  try {
    runCrews({{3, equip}}, 1000, {}, {});
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "test.broken");
  }
}

TEST(Crews, AStopReachesTheThreads) {
  std::stop_source stop;
  const auto equip = [&]() -> CrewTask {
    return [&](std::size_t, const std::stop_token& asked) {
      stop.request_stop();
      while (!asked.stop_requested()) std::this_thread::yield();
    };
  };
  EXPECT_THROW(runCrews({{2, equip}}, 1000, stop.get_token(), {}), Cancelled);
}

}  // namespace
}  // namespace tidemark
