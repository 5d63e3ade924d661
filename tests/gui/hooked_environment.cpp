#include "tests/gui/hooked_environment.h"

#include "engine/core/error.h"
#include "tests/gui/gui_run.h"

namespace tidemark::test {

namespace {

class HookedEnvironment final : public runbook::Environment {
 public:
  explicit HookedEnvironment(std::shared_ptr<Hooks> hooks) : m_hooks(std::move(hooks)), m_inner(smallDemo()) {}

  std::unique_ptr<Source> openSource(const runbook::Profile& profile) override {
    m_hooks->pass();
    return m_inner.openSource(profile);
  }
  std::unique_ptr<Sink> openSink(const runbook::Profile& profile) override { return m_inner.openSink(profile); }
  std::unique_ptr<SinkReader> openSinkReader(const runbook::Profile& profile) override {
    return m_inner.openSinkReader(profile);
  }
  // Proving the guard takes seconds and is not what these tests are about: the walk does it in earnest.
  runbook::Certification certify(const runbook::Profile&, const TableMapping&, std::stop_token,
                                 ProgressSink&) override {
    return {.passed = true, .scratch = {}, .findings = {}, .json = "{}"};
  }
  std::vector<std::string> dropScratch(const runbook::Profile& profile) override {
    return m_inner.dropScratch(profile);
  }
  std::string certifyStatement(const runbook::Profile& profile, const TableMapping& mapping) override {
    return m_inner.certifyStatement(profile, mapping);
  }

  runbook::Rehearsal rehearse(const runbook::Profile& profile, std::stop_token stop, ProgressSink& progress) override {
    m_hooks->pass();
    if (const std::string failure = m_hooks->rehearsalFailure(); !failure.empty()) {
      ErrorDetail detail;
      detail.hint = "Start the staging server.";
      detail.technical = "connection refused";
      detail.systemCode = "08006";
      throw Error("staging.gone", failure, detail);
    }
    return m_inner.rehearse(profile, stop, progress);
  }

 private:
  std::shared_ptr<Hooks> m_hooks;
  app::AdapterEnvironment m_inner;
};

}  // namespace

void Hooks::hang() {
  const std::lock_guard lock(m_mutex);
  m_hang = true;
}

void Hooks::release() {
  const std::lock_guard lock(m_mutex);
  m_hang = false;
  m_released.notify_all();
}

void Hooks::failRehearsal(const std::string& message) {
  const std::lock_guard lock(m_mutex);
  m_failure = message;
}

void Hooks::pass() {
  std::unique_lock lock(m_mutex);
  m_holding = m_hang;
  m_released.wait(lock, [this] { return !m_hang; });
  m_holding = false;
}

std::string Hooks::rehearsalFailure() {
  const std::lock_guard lock(m_mutex);
  return m_failure;
}

std::unique_ptr<runbook::Environment> makeHookedEnvironment(std::shared_ptr<Hooks> hooks) {
  return std::make_unique<HookedEnvironment>(std::move(hooks));
}

}  // namespace tidemark::test
