#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "app/wiring/adapter_environment.h"

namespace tidemark::test {

/// What a test does to a run's servers while the window is open. Shared between the test and the run thread.
class Hooks {
 public:
  /// From now on opening the source, or rehearsing, does not return before release().
  void hang();
  void release();
  /// True while the run thread is held.
  bool holding() const { return m_holding; }
  /// From now on a rehearsal fails with this message; empty = works again.
  void failRehearsal(const std::string& message);

  void pass();
  std::string rehearsalFailure();

 private:
  std::mutex m_mutex;
  std::condition_variable m_released;
  bool m_hang = false;
  std::atomic<bool> m_holding{false};
  std::string m_failure;
};

/// The program's environment on the small demo, with servers that hang and fail when a test says so, and with a
/// certification that always passes.
std::unique_ptr<runbook::Environment> makeHookedEnvironment(std::shared_ptr<Hooks> hooks);

}  // namespace tidemark::test
