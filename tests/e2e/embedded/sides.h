#pragma once

#include <string>
#include <vector>

#include "engine/simulator/demo_seed.h"
#include "tests/e2e/embedded/site.h"

namespace tidemark::test {

/// Which keys of this site's world were seeded as missing, stale and ghost.
simulator::DemoKeys seededKeys(const Site& site);
/// Rows of the sink with these keys, markers included, in the order of the keys.
std::vector<std::string> sinkRows(const Site& site, const std::vector<std::int64_t>& keys);
/// What the stream alone cannot explain: the sink's tables, and the rows that no live writer touches.
std::vector<std::string> untouchedPart(const Site& site);
/// Content and markers of the rows that no live writer touches, without positions.
std::vector<std::string> untouchedContent(const Site& site);
/// How many of these keys are live in the sink.
std::int64_t liveInSink(const Site& site, const std::vector<std::int64_t>& keys);

/// Lets the stream end and holds every live row of the sink against the source, by plain SQL and not by the product's
/// own verification: no row lost, none left, none different.
void expectSidesEqual(const Site& site);

}  // namespace tidemark::test
