#pragma once

#include <vector>

#include "tests/bench/bench_world.h"
#include "tests/bench/figure.h"

namespace tidemark::bench {

/// Each measures one part and checks that the engine did what it was measured at: a wrong result throws
/// std::runtime_error.
std::vector<Figure> measureLimits(const BenchWorld& world);
std::vector<Figure> measureApply(const BenchWorld& world);
std::vector<Figure> measureLoad(const BenchWorld& world);
std::vector<Figure> measureSweep(const BenchWorld& world);
std::vector<Figure> measureVerify(const BenchWorld& world);
std::vector<Figure> measureVerifyAcross(const BenchWorld& world);

}  // namespace tidemark::bench
