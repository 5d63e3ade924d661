#include "engine/event/time_text.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace tidemark {

namespace {

constexpr std::int64_t kNanosecondsPerDay = 86'400'000'000'000;
// PostgreSQL's date begins on Julian day 0 and ends with the year 5874897; timestamps end with the year 294276.
constexpr std::int64_t kFirstDay = -2'440'588;
constexpr std::int64_t kLastDateYear = 5'874'897;
constexpr std::int64_t kLastTimestampYear = 294'276;
constexpr std::int64_t kLargestYear = 1'000'000'000;

struct CivilDate {
  std::int64_t year = 0;  ///< 0 is 1 BC.
  unsigned month = 1;
  unsigned day = 1;
};

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// Calendar arithmetic in eras of 400 years that begin in March, so that the leap day ends a year.
std::int64_t daysFromCivil(const CivilDate& date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = floorDivide(year, 400);
  const std::int64_t yearOfEra = year - era * 400;
  const std::int64_t shifted = (static_cast<std::int64_t>(date.month) + 9) % 12;
  const std::int64_t dayOfYear = (153 * shifted + 2) / 5 + date.day - 1;
  return era * 146'097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719'468;
}

CivilDate civilFromDays(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = floorDivide(days, 146'097);
  const std::int64_t dayOfEra = days - era * 146'097;
  const std::int64_t yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36'524 - dayOfEra / 146'096) / 365;
  const std::int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const std::int64_t shifted = (5 * dayOfYear + 2) / 153;
  CivilDate date;
  date.day = static_cast<unsigned>(dayOfYear - (153 * shifted + 2) / 5 + 1);
  date.month = static_cast<unsigned>(shifted < 10 ? shifted + 3 : shifted - 9);
  date.year = yearOfEra + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

/// Takes a number of at least `least` and at most `most` digits off the front.
std::optional<std::int64_t> takeDigits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  while (count < text.size() && count < most && text[count] >= '0' && text[count] <= '9') ++count;
  if (count < least) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + count, value);
  text.remove_prefix(count);
  return value;
}

bool takeCharacter(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> takeDate(std::string_view& text) {
  const bool negative = takeCharacter(text, '-');
  if (!negative) takeCharacter(text, '+');
  const auto year = takeDigits(text, 4, 10);
  if (!year || *year > kLargestYear || !takeCharacter(text, '-')) return std::nullopt;
  const auto month = takeDigits(text, 2, 2);
  if (!month || *month < 1 || *month > 12 || !takeCharacter(text, '-')) return std::nullopt;
  const auto day = takeDigits(text, 2, 2);
  if (!day || *day < 1) return std::nullopt;
  const CivilDate date{negative ? -*year : *year, static_cast<unsigned>(*month), static_cast<unsigned>(*day)};
  const std::int64_t days = daysFromCivil(date);
  // The 30th of February would quietly become the 1st of March.
  const CivilDate back = civilFromDays(days);
  if (back.month != date.month || back.day != date.day) return std::nullopt;
  return days;
}

/// "12:34:56.789": seconds and a fraction of up to nine digits may be missing.
std::optional<std::int64_t> takeTime(std::string_view& text) {
  const auto hour = takeDigits(text, 2, 2);
  if (!hour || *hour > 24 || !takeCharacter(text, ':')) return std::nullopt;
  const auto minute = takeDigits(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t nanoseconds = (*hour * 60 + *minute) * 60'000'000'000;
  if (takeCharacter(text, ':')) {
    const auto second = takeDigits(text, 2, 2);
    if (!second || *second > 59) return std::nullopt;
    nanoseconds += *second * 1'000'000'000;
    if (takeCharacter(text, '.')) {
      const std::size_t before = text.size();
      auto fraction = takeDigits(text, 1, 9);
      if (!fraction) return std::nullopt;
      for (std::size_t i = before - text.size(); i < 9; ++i) *fraction *= 10;
      nanoseconds += *fraction;
    }
  }
  return nanoseconds <= kNanosecondsPerDay ? std::optional(nanoseconds) : std::nullopt;
}

/// "Z", "+02", "+02:00", "-0330" or nothing; nanoseconds east of UTC.
std::optional<std::int64_t> takeOffset(std::string_view& text) {
  if (text.empty() || takeCharacter(text, 'Z')) return 0;
  const bool west = takeCharacter(text, '-');
  if (!west && !takeCharacter(text, '+')) return std::nullopt;
  const auto hours = takeDigits(text, 2, 2);
  if (!hours) return std::nullopt;
  takeCharacter(text, ':');
  const auto minutes = text.empty() ? std::optional<std::int64_t>(0) : takeDigits(text, 2, 2);
  if (!minutes) return std::nullopt;
  const std::int64_t east = (*hours * 60 + *minutes) * 60'000'000'000;
  return west ? -east : east;
}

Moment normalised(std::int64_t days, std::int64_t nanoseconds) {
  const std::int64_t carry = floorDivide(nanoseconds, kNanosecondsPerDay);
  return {days + carry, nanoseconds - carry * kNanosecondsPerDay};
}

std::string calendarText(const CivilDate& date) {
  std::array<char, 64> buffer{};
  const std::int64_t shown = date.year > 0 ? date.year : 1 - date.year;
  const int length = std::snprintf(buffer.data(), buffer.size(), "%04lld-%02u-%02u", static_cast<long long>(shown),
                                   date.month, date.day);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

Moment momentFromEpoch(std::int64_t count, std::int64_t perSecond) {
  const std::int64_t perDay = 86'400 * perSecond;
  const std::int64_t remainder = count % perDay;
  return {floorDivide(count, perDay), (remainder < 0 ? remainder + perDay : remainder) * (1'000'000'000 / perSecond)};
}

std::optional<Moment> parseIsoMoment(std::string_view text) {
  const auto days = takeDate(text);
  if (!days) return std::nullopt;
  std::int64_t nanoseconds = 0;
  if (takeCharacter(text, 'T') || takeCharacter(text, ' ')) {
    const auto time = takeTime(text);
    if (!time) return std::nullopt;
    nanoseconds = *time;
  }
  const auto offset = takeOffset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return normalised(*days, nanoseconds - *offset);
}

std::optional<std::string> dateText(std::int64_t days) {
  if (days < kFirstDay || days > kLargestYear * 366) return std::nullopt;
  const CivilDate date = civilFromDays(days);
  if (date.year > kLastDateYear) return std::nullopt;
  return calendarText(date) + (date.year > 0 ? "" : " BC");
}

std::optional<std::string> timestampText(const Moment& moment, std::string_view zone) {
  if (moment.days < kFirstDay || moment.days > kLargestYear * 366) return std::nullopt;
  const CivilDate date = civilFromDays(moment.days);
  if (date.year > kLastTimestampYear) return std::nullopt;
  const std::int64_t seconds = moment.nanoseconds / 1'000'000'000;
  std::array<char, 64> buffer{};
  const int length =
      std::snprintf(buffer.data(), buffer.size(), " %02d:%02d:%02d.%09lld", static_cast<int>(seconds / 3600),
                    static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60),
                    static_cast<long long>(moment.nanoseconds % 1'000'000'000));
  std::string time(buffer.data(), static_cast<std::size_t>(length));
  while (time.back() == '0') time.pop_back();
  if (time.back() == '.') time.pop_back();
  return calendarText(date) + time + std::string(zone) + (date.year > 0 ? "" : " BC");
}

}  // namespace tidemark
