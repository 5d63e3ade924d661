#include "engine/core/progress.h"

namespace tidemark {

using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {
constexpr milliseconds kReportInterval{100};
constexpr seconds kRateWindow{2};
// Below one per cent an estimate says more about the first rows than about the table.
constexpr std::uint64_t kEstimateFromHundredths = 1;
}  // namespace

ProgressMeter::ProgressMeter(ProgressSink& sink, std::string activity, std::optional<std::uint64_t> total)
    : m_sink(sink), m_start(steady_clock::now()), m_lastReport(m_start - kReportInterval), m_windowStart(m_start) {
  m_value.activity = std::move(activity);
  m_value.total = total;
}

void ProgressMeter::advance(std::uint64_t rows, const std::string& current) {
  m_value.done += rows;
  if (!current.empty()) m_value.current = current;
  if (steady_clock::now() - m_lastReport >= kReportInterval) report();
}

void ProgressMeter::pause(const std::string& cause) {
  m_value.pausedBecause = cause;
  report();
}

void ProgressMeter::finish() {
  report();
}

void ProgressMeter::report() {
  const auto now = steady_clock::now();
  m_value.elapsed = duration_cast<milliseconds>(now - m_start);
  const double window = duration<double>(now - m_windowStart).count();
  if (window > 0.05) m_value.rate = static_cast<double>(m_value.done - m_windowDone) / window;
  if (now - m_windowStart > kRateWindow) {
    m_windowStart = now;
    m_windowDone = m_value.done;
  }
  m_value.remaining.reset();
  if (m_value.total && m_value.rate > 0 && m_value.done < *m_value.total &&
      m_value.done * 100 >= *m_value.total * kEstimateFromHundredths && m_value.elapsed >= seconds(1)) {
    m_value.remaining =
        seconds(static_cast<std::int64_t>(static_cast<double>(*m_value.total - m_value.done) / m_value.rate) + 1);
  }
  m_lastReport = now;
  m_sink.report(m_value);
}

}  // namespace tidemark
