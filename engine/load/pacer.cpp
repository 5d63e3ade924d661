#include "engine/load/pacer.h"

#include <algorithm>

#include "engine/core/error.h"

namespace tidemark {

using std::chrono::milliseconds;

namespace {
constexpr milliseconds kLongestBackOff{5000};
// A rate limit is kept in steps of this part of a second, so that stop and pause are heard in between.
constexpr std::uint64_t kRateStepsPerSecond = 4;
}  // namespace

Pacer::Pacer(const Pace& pace, PauseControl& control, ProgressMeter& meter)
    : m_pace(pace), m_control(control), m_meter(meter), m_nextBatchDue(Clock::now()) {}

std::size_t Pacer::batchRows(const Pace& pace) {
  const std::size_t rows = std::max<std::size_t>(pace.batchRows, 1);
  if (pace.rowsPerSecond == 0) return rows;
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(pace.rowsPerSecond / kRateStepsPerSecond, 1, static_cast<std::uint64_t>(rows)));
}

void Pacer::beforeSnapshot(std::stop_token stop) {
  bool waited = false;
  while (m_control.paused()) {
    if (stop.stop_requested()) throw Cancelled();
    m_meter.pause(m_control.cause());
    waited = true;
    m_control.waitWhilePaused(stop, std::chrono::hours(1));
  }
  if (stop.stop_requested()) throw Cancelled();
  if (waited) m_meter.pause({});
}

Pacer::Verdict Pacer::afterBatch(std::uint64_t rows, milliseconds latency, std::stop_token stop) {
  if (stop.stop_requested()) throw Cancelled();
  if (waitForSink(latency, stop) == Verdict::EndSegment) return Verdict::EndSegment;
  if (waitForOperator(stop) == Verdict::EndSegment) return Verdict::EndSegment;
  keepRate(rows, stop);
  return Verdict::GoOn;
}

Pacer::Verdict Pacer::waitForSink(milliseconds latency, std::stop_token stop) {
  if (m_pace.maximumSinkLatency.count() <= 0) return Verdict::GoOn;
  if (latency <= m_pace.maximumSinkLatency) {
    if (m_slowSince) m_meter.pause({});
    m_slowSince.reset();
    m_backOff = milliseconds(0);
    return Verdict::GoOn;
  }
  const auto now = Clock::now();
  if (!m_slowSince) m_slowSince = now;
  m_backOff = std::min(std::max(2 * m_backOff, latency), kLongestBackOff);
  const auto latest = *m_slowSince + m_pace.longestPause;
  m_meter.pause("the sink took " + std::to_string(latency.count()) + " ms for the last batch, the limit is " +
                std::to_string(m_pace.maximumSinkLatency.count()) + " ms; the next one waits for " +
                std::to_string(m_backOff.count()) + " ms");
  waitUntil(std::min(now + m_backOff, latest), stop);
  return Clock::now() >= latest ? Verdict::EndSegment : Verdict::GoOn;
}

Pacer::Verdict Pacer::waitForOperator(std::stop_token stop) {
  if (!m_control.paused()) return Verdict::GoOn;
  m_meter.pause(m_control.cause());
  const bool resumed = m_control.waitWhilePaused(stop, m_pace.longestPause);
  if (stop.stop_requested()) throw Cancelled();
  if (!resumed) return Verdict::EndSegment;
  m_meter.pause({});
  return Verdict::GoOn;
}

void Pacer::keepRate(std::uint64_t rows, std::stop_token stop) {
  if (m_pace.rowsPerSecond == 0) return;
  // Time lost in a pause is not made up for: a burst after it would be what the limit is there to prevent.
  const std::chrono::duration<double> share(static_cast<double>(rows) / static_cast<double>(m_pace.rowsPerSecond));
  const auto now = Clock::now();
  if (m_nextBatchDue + std::chrono::seconds(1) < now) m_nextBatchDue = now;
  m_nextBatchDue += std::chrono::duration_cast<Clock::duration>(share);
  waitUntil(m_nextBatchDue, stop);
}

void Pacer::waitUntil(Clock::time_point due, std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  m_never.wait_until(lock, stop, due, [] { return false; });
  if (stop.stop_requested()) throw Cancelled();
}

}  // namespace tidemark
