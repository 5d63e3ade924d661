#include "engine/simulator/order.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace tidemark {

std::string canonicalTimestamp(std::int64_t microseconds) {
  using namespace std::chrono;
  const sys_time<std::chrono::microseconds> time{std::chrono::microseconds(microseconds)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02u-%02u %02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  std::string text = buffer.data();
  if (const auto fraction = clock.subseconds().count(); fraction != 0) {
    std::snprintf(buffer.data(), buffer.size(), ".%06d", static_cast<int>(fraction));
    text += buffer.data();
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "+00";
}

std::int64_t microsecondsNow() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace tidemark
