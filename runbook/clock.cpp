#include "runbook/clock.h"

#include <QDateTime>
#include <QTimeZone>

namespace tidemark::runbook {

std::string utcNow() {
  return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString();
}

std::int64_t secondsBetween(const std::string& earlier, const std::string& later) {
  const auto from = QDateTime::fromString(QString::fromStdString(earlier), Qt::ISODateWithMs);
  const auto to = QDateTime::fromString(QString::fromStdString(later), Qt::ISODateWithMs);
  if (!from.isValid() || !to.isValid()) return 0;
  return from.secsTo(to);
}

std::string displayDuration(std::int64_t seconds) {
  const std::string sign = seconds < 0 ? "-" : "";
  const std::int64_t total = seconds < 0 ? -seconds : seconds;
  const auto twoDigits = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  if (total >= 3600) return sign + std::to_string(total / 3600) + " h " + twoDigits(total / 60 % 60) + " min";
  if (total >= 60) return sign + std::to_string(total / 60) + " min " + twoDigits(total % 60) + " s";
  return sign + std::to_string(total) + " s";
}

}  // namespace tidemark::runbook
