#pragma once

#include <string>
#include <vector>

#include "tests/model/configuration.h"

namespace tidemark::model {

/// The law under one scheme (lsn or commit-lsn), explored to the end.
std::vector<Configuration> lawConfigurations(PositionRule scheme);

/// An unsafe rule, in a configuration that is small and still lets it end wrong.
struct Control {
  std::string name;
  Configuration law;  ///< The same happenings under the law.
  Configuration unsafe;
};
std::vector<Control> controls();

}  // namespace tidemark::model
