#include "engine/load/load.h"

namespace tidemark {

void PauseControl::pause(std::string cause) {
  {
    const std::lock_guard lock(m_mutex);
    m_paused = true;
    m_cause = std::move(cause);
  }
  m_changed.notify_all();
}

void PauseControl::resume() {
  {
    const std::lock_guard lock(m_mutex);
    m_paused = false;
    m_cause.clear();
  }
  m_changed.notify_all();
}

bool PauseControl::paused() const {
  const std::lock_guard lock(m_mutex);
  return m_paused;
}

std::string PauseControl::cause() const {
  const std::lock_guard lock(m_mutex);
  return m_cause;
}

bool PauseControl::waitWhilePaused(std::stop_token stop, std::chrono::milliseconds limit) {
  std::unique_lock lock(m_mutex);
  const bool resumed = m_changed.wait_for(lock, stop, limit, [this] { return !m_paused; });
  return resumed && !stop.stop_requested();
}

}  // namespace tidemark
