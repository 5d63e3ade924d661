#pragma once

#include <filesystem>
#include <unordered_set>

#include "engine/simulator/demo_world.h"

namespace tidemark::simulator {

/// How a demo folder was made; everything else follows from it.
struct DemoPlan {
  std::int64_t rows = 0;
  SeededDifferences differences;
  std::uint64_t seed = 0;
};

/// Keys with a part to play, in the order of a shuffle that the seed alone decides.
struct DemoKeys {
  std::vector<std::int64_t> missing, stale, ghosts, ordinary;
  std::int64_t straddler = 0;
  std::int64_t older = 0;
};

/// Which keys the plan spoils, and how.
DemoKeys keysOf(const DemoPlan& plan);
/// Keys that live writers must leave alone.
std::unordered_set<std::int64_t> reservedKeys(const DemoKeys& keys);

/// The plan of the folder, made to `options` when it has none yet. What an interrupted making left is thrown away.
DemoPlan prepareFolder(const std::filesystem::path& folder, const DemoOptions& options);

/// Where the demo keeps its source and its sink, below its folder.
std::filesystem::path sourceFolder(const std::filesystem::path& folder);
std::filesystem::path demoSinkFile(const std::filesystem::path& folder);

/// A made-up order, the same for the same id and seed. One in fifty has a note long enough to be kept apart.
Order demoOrder(std::int64_t id, std::uint64_t seed);

}  // namespace tidemark::simulator
