#include "tests/bench/figure.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace tidemark::bench {

namespace {

using nlohmann::json;

const char* const kCopyName = "COPY into a table with a primary key";
const char* const kCountName = "count(*), serial";

double limitNamed(const BenchReport& report, const char* name) {
  for (const Figure& figure : report.figures) {
    if (figure.part == "limit" && figure.what == name) return figure.value;
  }
  return 0;
}

double yardstickOf(const BenchReport& report, const Figure& figure) {
  switch (figure.yardstick) {
    case Figure::Yardstick::Copy:
      return limitNamed(report, kCopyName);
    case Figure::Yardstick::Count:
      return limitNamed(report, kCountName);
    case Figure::Yardstick::None:
      break;
  }
  return 0;
}

const char* yardstickName(Figure::Yardstick yardstick) {
  return yardstick == Figure::Yardstick::Copy ? "L" : yardstick == Figure::Yardstick::Count ? "count(*)" : "";
}

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// 1234567 as "1,234,567".
std::string grouped(double value) {
  std::string digits = number(value, 0);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string valueText(Figure::Unit unit, double value) {
  return unit == Figure::Unit::Seconds ? number(value, 2) + " s" : grouped(value) + " rows/s";
}

/// The figure that the aim speaks of: the ratio where there is a yardstick.
double judged(const BenchReport& report, const Figure& figure) {
  const double yardstick = yardstickOf(report, figure);
  return yardstick > 0 ? figure.value / yardstick : figure.value;
}

bool met(const BenchReport& report, const Figure& figure) {
  const double reached = judged(report, figure);
  return figure.unit == Figure::Unit::Seconds ? reached <= figure.aim : reached >= figure.aim;
}

std::string ratioText(const BenchReport& report, const Figure& figure) {
  if (yardstickOf(report, figure) <= 0) return "";
  return number(judged(report, figure), 2) + " " + yardstickName(figure.yardstick);
}

std::string aimText(const BenchReport& report, const Figure& figure) {
  if (figure.aim <= 0) return "";
  const std::string aim = figure.yardstick == Figure::Yardstick::None
                              ? valueText(figure.unit, figure.aim)
                              : number(figure.aim, 2) + " " + yardstickName(figure.yardstick);
  return aim + (met(report, figure) ? ", met" : ", missed");
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string markdown(const BenchReport& report) {
  std::string text =
      grouped(static_cast<double>(report.rows)) + " rows, " + std::to_string(report.cores) + " cores, " +
      report.server + ", median of " + std::to_string(report.repeats) + "\n\n" +
      "| part | what | speed or time | ratio | aim | peak memory |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const Figure& figure : report.figures) {
    text += "| " + figure.part + " | " + figure.what + " | " + valueText(figure.unit, figure.value) + " | " +
            ratioText(report, figure) + " | " + aimText(report, figure) + " | " + number(figure.peakMegabytes, 0) +
            " MB |\n";
  }
  return text;
}

std::string json(const BenchReport& report) {
  nlohmann::json document{
      {"rows", report.rows}, {"repeats", report.repeats}, {"cores", report.cores}, {"server", report.server}};
  document["figures"] = nlohmann::json::array();
  for (const Figure& figure : report.figures) {
    nlohmann::json entry{{"part", figure.part},
                         {"what", figure.what},
                         {figure.unit == Figure::Unit::Seconds ? "seconds" : "rows_per_second", figure.value},
                         {"peak_megabytes", figure.peakMegabytes}};
    if (yardstickOf(report, figure) > 0) {
      entry["ratio"] = judged(report, figure);
      entry["of"] = yardstickName(figure.yardstick);
    }
    if (figure.aim > 0) {
      entry["aim"] = figure.aim;
      entry["met"] = met(report, figure);
    }
    document["figures"].push_back(std::move(entry));
  }
  return document.dump(2) + "\n";
}

std::string packed(const std::vector<Figure>& figures) {
  nlohmann::json list = nlohmann::json::array();
  for (const Figure& figure : figures) {
    list.push_back({figure.part, figure.what, figure.value, static_cast<int>(figure.unit),
                    static_cast<int>(figure.yardstick), figure.aim, figure.peakMegabytes});
  }
  return list.dump();
}

std::vector<Figure> unpacked(const std::string& text) {
  std::vector<Figure> figures;
  for (const nlohmann::json& entry : nlohmann::json::parse(text)) {
    figures.push_back({entry.at(0), entry.at(1), entry.at(2), static_cast<Figure::Unit>(entry.at(3).get<int>()),
                       static_cast<Figure::Yardstick>(entry.at(4).get<int>()), entry.at(5), entry.at(6)});
  }
  return figures;
}

}  // namespace tidemark::bench
