#include "engine/verify/crews.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "engine/core/error.h"

namespace tidemark {

namespace {

class Run {
 public:
  Run(const std::vector<Crew>& crews, std::size_t count) : m_count(count), m_next(crews.size()) {
    for (std::size_t crew = 0; crew < crews.size(); ++crew) {
      const auto useful = std::min<std::size_t>(static_cast<std::size_t>(std::max(crews[crew].threads, 1)), count);
      m_working += useful;
      for (std::size_t i = 0; i < useful; ++i) m_plan.push_back(&crews[crew]);
    }
    for (const Crew* crew : m_plan) {
      std::atomic<std::size_t>& next = m_next[static_cast<std::size_t>(crew - crews.data())];
      m_threads.emplace_back([this, crew, &next] { work(*crew, next); });
    }
  }

  void wait(std::stop_token stop, const std::function<void(std::size_t)>& onDone) {
    const std::stop_callback forward(stop, [this] { m_stop.request_stop(); });
    std::unique_lock lock(m_mutex);
    while (m_working > 0 || m_done > 0) {
      m_changed.wait(lock, [this] { return m_working == 0 || m_done > 0; });
      const std::size_t done = std::exchange(m_done, 0);
      if (done == 0 || !onDone) continue;
      lock.unlock();
      onDone(done);
      lock.lock();
    }
    if (stop.stop_requested()) throw Cancelled();
    if (m_error) std::rethrow_exception(m_error);
  }

  ~Run() { m_stop.request_stop(); }

 private:
  void work(const Crew& crew, std::atomic<std::size_t>& next) {
    try {
      const CrewTask task = equip(crew);
      for (std::size_t index = next++; index < m_count && !m_stop.stop_requested(); index = next++) {
        task(index, m_stop.get_token());
        const std::lock_guard lock(m_mutex);
        ++m_done;
        m_changed.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(m_mutex);
      if (!m_error) m_error = std::current_exception();
      m_stop.request_stop();
    }
    const std::lock_guard lock(m_mutex);
    --m_working;
    m_changed.notify_all();
  }

  CrewTask equip(const Crew& crew) {
    const std::lock_guard lock(m_equipping);
    return crew.equip();
  }

  const std::size_t m_count;
  std::deque<std::atomic<std::size_t>> m_next;  ///< One counter a crew.
  std::vector<const Crew*> m_plan;
  std::mutex m_equipping;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::size_t m_working = 0;
  std::size_t m_done = 0;
  std::exception_ptr m_error;
  std::stop_source m_stop;
  std::vector<std::jthread> m_threads;  ///< Last: joined before the rest goes.
};

}  // namespace

void runCrews(const std::vector<Crew>& crews, std::size_t count, std::stop_token stop,
              const std::function<void(std::size_t)>& onDone) {
  if (count == 0) return;
  Run run(crews, count);
  run.wait(stop, onDone);
}

}  // namespace tidemark
