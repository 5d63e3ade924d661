#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

#include "engine/core/progress.h"
#include "engine/load/load.h"

namespace tidemark {

/// Holds a load back between two batches: an operator's pause, a sink that is too slow, the rate limit. Reports every
/// pause with its cause. Belongs to the load's thread.
class Pacer {
 public:
  enum class Verdict { GoOn, EndSegment };

  Pacer(const Pace& pace, PauseControl& control, ProgressMeter& meter);

  /// Rows of one batch: few enough for the rate limit to be kept smoothly.
  static std::size_t batchRows(const Pace& pace);
  /// Waits out a pause before any snapshot is open. Throws Cancelled.
  void beforeSnapshot(std::stop_token stop);
  /// Waits as long as it has to after a batch of `rows` that the sink took `latency` for. Says EndSegment when the
  /// pause outlasted Pace::longestPause. Throws Cancelled.
  Verdict afterBatch(std::uint64_t rows, std::chrono::milliseconds latency, std::stop_token stop);

 private:
  using Clock = std::chrono::steady_clock;

  Verdict waitForSink(std::chrono::milliseconds latency, std::stop_token stop);
  Verdict waitForOperator(std::stop_token stop);
  void keepRate(std::uint64_t rows, std::stop_token stop);
  void waitUntil(Clock::time_point due, std::stop_token stop);

  const Pace& m_pace;
  PauseControl& m_control;
  ProgressMeter& m_meter;
  std::mutex m_mutex;
  std::condition_variable_any m_never;  ///< Only ever woken by a stop.
  std::optional<Clock::time_point> m_slowSince;
  std::chrono::milliseconds m_backOff{0};
  Clock::time_point m_nextBatchDue;
};

}  // namespace tidemark
