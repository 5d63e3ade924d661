#include "tests/e2e/postgres/live_feed.h"

#include <fstream>

#include "tests/stack/logical_stream.h"

namespace tidemark::test {

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr std::uint64_t kChangesAtOnce = 5000;

const char* const kScript = R"(\set any random(1, KEYS)
\set id case when :any % 100 = 1 then :any + 1 else :any end
\set dice random(1, 100)
\if :dice <= 50
UPDATE orders SET status = 'paid', total = total + 1, updated_at = clock_timestamp() WHERE id = :id;
\elif :dice <= 60
UPDATE orders SET note = 'seen by ' || :client_id WHERE id = :id;
\elif :dice <= 70
INSERT INTO orders VALUES (:id, 'live', 'new', 1, NULL, clock_timestamp()) ON CONFLICT (id) DO NOTHING;
\elif :dice <= 85
DELETE FROM orders WHERE id = :id;
\elif :dice <= 95
BEGIN;
DELETE FROM orders WHERE id = :id;
INSERT INTO orders VALUES (:id, 'again', 'new', 2, 'created again', clock_timestamp()) ON CONFLICT (id) DO NOTHING;
COMMIT;
\else
UPDATE orders SET id = -id WHERE id = :id AND NOT EXISTS (SELECT FROM orders AS taken WHERE taken.id = -:id);
\endif
)";

}  // namespace

LiveFeed::LiveFeed(BackfillWorld& world) : m_source(world.server.connection("shop")) {
  // A profile of its own: the test may change the world's while the feed runs.
  const std::filesystem::path profile = world.folder / "feed.json";
  std::ofstream(profile) << world.profile.dump(2);
  m_command = {world.program(), "apply", "--from", "-", "--json", "--profile", profile.string()};
  m_thread = std::thread([this] { run(); });
}

LiveFeed::~LiveFeed() {
  m_stop = true;
  if (m_thread.joinable()) m_thread.join();
}

void LiveFeed::drainAndStop() {
  m_stopWhenEmpty = true;
  m_thread.join();
}

std::vector<std::string> LiveFeed::failures() const {
  const std::lock_guard lock(m_mutex);
  return m_failures;
}

void LiveFeed::run() {
  while (!m_stop) {
    try {
      LogicalStream stream(m_source, "live");
      while (!m_stop) {
        const bool last = m_stopWhenEmpty;
        if (pass(stream)) continue;
        if (last) return;
        std::this_thread::sleep_for(kPollInterval);
      }
    } catch (const std::exception& problem) {
      // The source is away for a moment: a test that kills it wants the feed to come back.
      const std::lock_guard lock(m_mutex);
      m_failures.emplace_back(problem.what());
      std::this_thread::sleep_for(kPollInterval);
    }
  }
}

bool LiveFeed::pass(LogicalStream& stream) {
  const std::vector<std::string> lines = stream.read(kChangesAtOnce);
  if (lines.empty()) {
    stream.confirm();
    return false;
  }
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  const CommandResult applied = runCommand(m_command, input);
  if (applied.status == 0) {
    stream.confirm();
    m_events += lines.size();
  } else {
    const std::lock_guard lock(m_mutex);
    m_failures.push_back(std::to_string(applied.status) + ": " + applied.errors);
  }
  return true;
}

Writers::Writers(BackfillWorld& world, std::uint64_t keys, int transactionsPerSecond) : m_world(world) {
  std::string script = kScript;
  script.replace(script.find("KEYS"), 4, std::to_string(keys));
  const std::filesystem::path file = world.folder / "writers.sql";
  std::ofstream(file) << script;
  m_process = std::make_unique<ChildProcess>(
      serverPrograms() / "pgbench",
      std::vector<std::string>{"-n", "-c", "4", "-j", "2", "-T", "3600", "-R", std::to_string(transactionsPerSecond),
                               "-f", file.string(), world.server.connection("shop")});
}

void Writers::stop() {
  EXPECT_TRUE(m_process->running()) << m_process->error();
  m_process->kill();
  eventually("the writers' sessions are gone", [&] {
    return m_world.source("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'") == "0\n";
  });
}

}  // namespace tidemark::test
