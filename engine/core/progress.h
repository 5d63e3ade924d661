#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tidemark {

/// The one progress value: built by a ProgressMeter, drawn by window, terminal, log and report alike.
struct Progress {
  std::string activity;                           ///< What is being done: "load", "key list", "sweep preview".
  std::uint64_t done = 0;                         ///< Rows (or steps) finished.
  std::optional<std::uint64_t> total;             ///< Expected rows; an estimate until the job ends.
  double rate = 0;                                ///< Rows per second over the last seconds.
  std::chrono::milliseconds elapsed{0};           ///< Since the job began, pauses included.
  std::optional<std::chrono::seconds> remaining;  ///< Empty until there is an honest estimate.
  std::string current;                            ///< Current key, chunk or bucket.
  std::string pausedBecause;                      ///< Empty, or the cause of a pause with its figures.
};

/// Receives progress. Called on the job's own thread, at most about ten times a second; must not block.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void report(const Progress& progress) = 0;
};

/// A sink that drops everything, for callers that do not watch.
class NoProgress final : public ProgressSink {
 public:
  void report(const Progress&) override {}
};

/// Builds Progress values for one job. Not thread-safe: belongs to the job's thread.
class ProgressMeter {
 public:
  ProgressMeter(ProgressSink& sink, std::string activity, std::optional<std::uint64_t> total = {});

  /// Counts `rows` as finished and reports when the last report is old enough.
  void advance(std::uint64_t rows, const std::string& current = {});
  /// Reports a pause with its cause at once; an empty cause ends the pause.
  void pause(const std::string& cause);
  /// Reports the final figures whatever the time of the last report.
  void finish();
  const Progress& value() const { return m_value; }

 private:
  void report();

  ProgressSink& m_sink;
  Progress m_value;
  std::chrono::steady_clock::time_point m_start;
  std::chrono::steady_clock::time_point m_lastReport;
  std::chrono::steady_clock::time_point m_windowStart;
  std::uint64_t m_windowDone = 0;
};

}  // namespace tidemark
