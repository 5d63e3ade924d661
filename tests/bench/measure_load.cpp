#include <stdexcept>

#include "engine/load/load.h"
#include "engine/postgres/postgres_sink.h"
#include "engine/postgres/postgres_source.h"
#include "tests/bench/measure.h"

namespace tidemark::bench {

namespace {

/// One whole segment: boundary, read, key list, guarded writes, count and confirmation.
double loadOnce(const BenchWorld& world) {
  const std::unique_ptr<Source> source = openPostgresSource(world.source(), "");
  const std::unique_ptr<Sink> sink = openPostgresSink(world.sink());
  LoadRequest request;
  request.mapping = world.mapping();
  request.keyFile = world.folder() / "load.keys";
  request.expectedRows = world.rows();
  PauseControl control;
  NoProgress progress;
  Segment segment;
  const double seconds = secondsOf([&] {
    request.boundary = source->captureBoundary({}, {}, {});
    segment = loadSegment(*source, *sink, request, control, {}, {}, progress);
  });
  if (!segment.complete || segment.counts.inserted + segment.counts.updated != world.rows() ||
      segment.keys.summary.count != world.rows()) {
    throw std::runtime_error("the load did not do what it was measured at");
  }
  return static_cast<double>(world.rows()) / seconds;
}

}  // namespace

std::vector<Figure> measureLoad(const BenchWorld& world) {
  std::vector<double> fresh;
  std::vector<double> overStale;
  for (int repeat = 0; repeat < world.repeats(); ++repeat) {
    world.emptySink();
    fresh.push_back(loadOnce(world));
    world.fillSink(true);
    overStale.push_back(loadOnce(world));
  }
  std::vector<Figure> figures(2);
  figures[0] = {.part = "load",
                .what = "whole segment into an empty table, one worker",
                .value = median(fresh),
                .yardstick = Figure::Yardstick::Copy,
                .aim = 0.7};
  figures[1] = {.part = "load",
                .what = "whole segment over rows that are all older, one worker",
                .value = median(overStale),
                .yardstick = Figure::Yardstick::Copy};
  return figures;
}

}  // namespace tidemark::bench
