#pragma once

#include <string>

#include <QCoreApplication>

namespace tidemark::runbook {

/// A text for people, in the program's language. `source` is the English text and the key of the translation.
inline std::string text(const char* source) {
  return QCoreApplication::translate("tidemark::runbook", source).toStdString();
}

/// The same with %1 … %9 replaced at once, so that a value which holds "%2" stays as it is.
template <typename... Arguments>
std::string text(const char* source, const Arguments&... arguments) {
  return QCoreApplication::translate("tidemark::runbook", source)
      .arg(QString::fromStdString(arguments)...)
      .toStdString();
}

/// "1,234,567".
std::string groupedNumber(std::uint64_t number);

}  // namespace tidemark::runbook
