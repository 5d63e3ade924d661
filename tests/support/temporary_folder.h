#pragma once

#include "engine/core/temporary_folder.h"

namespace tidemark::test {

/// A folder of its own for one test, removed with it.
class TemporaryFolder : public tidemark::TemporaryFolder {
 public:
  TemporaryFolder() : tidemark::TemporaryFolder("tidemark-test") {}
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path() / name; }
};

}  // namespace tidemark::test
