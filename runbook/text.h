#pragma once

#include <string>

#include <QCoreApplication>

namespace tidemark::runbook {

/// A text for people, in the program's language. `source` is the English text and the key of the translation.
inline std::string text(const char* source) {
  return QCoreApplication::translate("tidemark::runbook", source).toStdString();
}

/// The same with %1 … %9 replaced, in order.
template <typename... Arguments>
std::string text(const char* source, const Arguments&... arguments) {
  QString result = QCoreApplication::translate("tidemark::runbook", source);
  ((result = result.arg(QString::fromStdString(arguments))), ...);
  return result.toStdString();
}

/// "1,234,567".
std::string groupedNumber(std::uint64_t number);

}  // namespace tidemark::runbook
