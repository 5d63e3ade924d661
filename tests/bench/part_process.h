#pragma once

#include <functional>
#include <vector>

#include "tests/bench/figure.h"

namespace tidemark::bench {

/// Runs one part in a process of its own, so that its peak memory is its own too, and returns its figures with that
/// peak filled in. The calling process must have one thread. Throws std::runtime_error when the part failed.
std::vector<Figure> runPart(const std::function<std::vector<Figure>()>& part);

}  // namespace tidemark::bench
