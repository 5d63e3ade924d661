#include <stdexcept>

#include "engine/keys/key_list.h"
#include "engine/postgres/postgres_sink.h"
#include "tests/bench/measure.h"

namespace tidemark::bench {

namespace {

constexpr std::uint64_t kGhostEvery = 1000;

/// All keys of the table but every thousandth, which makes those ghosts.
KeyListSummary writeKeys(const BenchWorld& world, const std::filesystem::path& file) {
  KeyListWriter keys(file);
  for (std::uint64_t id = 1; id <= world.rows(); ++id) {
    if (id % kGhostEvery != 0) keys.add({std::to_string(id)});
  }
  return keys.close();
}

double previewOnce(const BenchWorld& world, const std::filesystem::path& file, const KeyListSummary& summary) {
  const std::unique_ptr<Sink> sink = openPostgresSink(world.sink());
  SweepRequest request;
  request.runId = "bench";
  request.boundary = Position{{kStoredPosition + 1, 0, 0}};
  NoProgress progress;
  SweepPreview preview;
  const double seconds = secondsOf([&] {
    const std::unique_ptr<KeyListReader> keys = openKeyList(file, summary);
    preview = sink->previewSweep(world.mapping(), request, *keys, {}, progress);
  });
  if (preview.ghosts != world.rows() / kGhostEvery) throw std::runtime_error("the preview counted other ghosts");
  return static_cast<double>(world.rows()) / seconds;
}

}  // namespace

std::vector<Figure> measureSweep(const BenchWorld& world) {
  world.fillSink();
  openPostgresSink(world.sink())->ensureSchema();
  const std::filesystem::path file = world.folder() / "sweep.keys";
  const KeyListSummary summary = writeKeys(world, file);
  std::vector<double> below;
  std::vector<double> loaded;
  for (int repeat = 0; repeat < world.repeats(); ++repeat) below.push_back(previewOnce(world, file, summary));
  world.sinkSql("UPDATE orders SET lsn = " + std::to_string(kStoredPosition + 1) + " WHERE id % " +
                std::to_string(kGhostEvery) + " <> 0");
  world.settleSink();
  for (int repeat = 0; repeat < world.repeats(); ++repeat) loaded.push_back(previewOnce(world, file, summary));
  std::vector<Figure> figures(2);
  figures[0] = {.part = "sweep preview", .what = "every row below the boundary", .value = median(below), .aim = 3.5e6};
  figures[1] = {.part = "sweep preview", .what = "after a load: ghosts alone below it", .value = median(loaded)};
  return figures;
}

}  // namespace tidemark::bench
