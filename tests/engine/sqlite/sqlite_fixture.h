#pragma once

#include <memory>

#include "tests/support/sink_suite.h"

namespace tidemark::test {

/// The behaviour suite's database as a SQLite file of its own.
std::unique_ptr<SinkFixture> makeSqliteFixture();

}  // namespace tidemark::test
