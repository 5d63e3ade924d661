#include "tests/e2e/embedded/sides.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/simulator/demo_world.h"

namespace tidemark::test {

namespace {

std::string listed(const std::vector<std::int64_t>& keys) {
  std::string list;
  for (const std::int64_t key : keys) list += (list.empty() ? "" : ", ") + std::to_string(key);
  return list;
}

std::vector<std::int64_t> untouchedKeys(const Site& site) {
  const simulator::DemoKeys keys = seededKeys(site);
  std::vector<std::int64_t> untouched = keys.missing;
  untouched.insert(untouched.end(), keys.stale.begin(), keys.stale.end());
  untouched.insert(untouched.end(), keys.ghosts.begin(), keys.ghosts.end());
  return untouched;
}

}  // namespace

simulator::DemoKeys seededKeys(const Site& site) {
  return simulator::keysOf(simulator::prepareFolder(site.world(), {}));
}

std::vector<std::string> sinkRows(const Site& site, const std::vector<std::int64_t>& keys) {
  return SqliteView(site.sink()).rows("SELECT * FROM orders WHERE id IN (" + listed(keys) + ") ORDER BY id");
}

std::vector<std::string> untouchedPart(const Site& site) {
  std::vector<std::string> part = sinkRows(site, untouchedKeys(site));
  for (std::string& table : SqliteView(site.sink()).rows("SELECT name, sql FROM sqlite_master ORDER BY name")) {
    part.push_back(std::move(table));
  }
  return part;
}

std::vector<std::string> untouchedContent(const Site& site) {
  return SqliteView(site.sink())
      .rows("SELECT id, customer, status, total, note, updated_at, is_deleted FROM orders WHERE id IN (" +
            listed(untouchedKeys(site)) + ") ORDER BY id");
}

std::int64_t liveInSink(const Site& site, const std::vector<std::int64_t>& keys) {
  return SqliteView(site.sink())
      .number("SELECT count(*) FROM orders WHERE is_deleted = 0 AND id IN (" + listed(keys) + ")");
}

void expectSidesEqual(const Site& site) {
  std::filesystem::path source;
  {
    const auto world = DemoWorld::open(site.world());
    world->quiesce();
    source = world->database()->file();
  }
  const std::string columns = "SELECT id, customer, status, total, note, updated_at FROM orders";
  const auto atSource = SqliteView(source).rows(columns + " ORDER BY id");
  const auto atSink = SqliteView(site.sink()).rows(columns + " WHERE is_deleted = 0 ORDER BY id");
  EXPECT_GT(atSource.size(), 1000U);
  std::vector<std::string> onlySource, onlySink;
  std::ranges::set_difference(atSource, atSink, std::back_inserter(onlySource));
  std::ranges::set_difference(atSink, atSource, std::back_inserter(onlySink));
  EXPECT_EQ(onlySource, std::vector<std::string>());
  EXPECT_EQ(onlySink, std::vector<std::string>());
}

}  // namespace tidemark::test
