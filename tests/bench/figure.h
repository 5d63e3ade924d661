#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::bench {

/// One measured figure. Speeds are rows a second; what a speed is held against is measured in the same run.
struct Figure {
  enum class Unit { RowsPerSecond, Seconds };
  enum class Yardstick { None, Copy, Count };  ///< COPY into a keyed table; serial count(*).

  std::string part;  ///< "apply"
  std::string what;  ///< "new keys, two workers"
  double value = 0;
  Unit unit = Unit::RowsPerSecond;
  Yardstick yardstick = Yardstick::None;
  double aim = 0;            ///< Of the ratio where there is a yardstick, else of the value; 0 = no aim.
  double peakMegabytes = 0;  ///< Of the process that ran the part.
};

/// What a run of the bench found.
struct BenchReport {
  std::uint64_t rows = 0;
  int repeats = 1;
  int cores = 0;
  std::string server;
  std::vector<Figure> figures;
};

double median(std::vector<double> values);
std::string markdown(const BenchReport& report);
std::string json(const BenchReport& report);
/// Figures on their way from the process that ran a part.
std::string packed(const std::vector<Figure>& figures);
std::vector<Figure> unpacked(const std::string& text);

}  // namespace tidemark::bench
