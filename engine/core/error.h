#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tidemark {

/// What an engine error carries beside its message. Every field may be empty.
struct ErrorDetail {
  std::string hint{};         ///< The way out, in the operator's words.
  std::string technical{};    ///< Server message, statement, file offset: for the details fold.
  std::string systemCode{};   ///< SQLSTATE, SQLite result code or Kafka code as the system gave it.
  bool retryCanHelp = false;  ///< The same call may succeed later without anybody changing anything.
  bool inDoubt = false;       ///< A commit whose answer was lost: whether it took place must be measured.
};

/// The one exception type of the engine. `code` is stable ("sink.no_primary_key"): programs branch on it and
/// translations hang on it, while `what()` is an English sentence that names the thing and the reason.
class Error : public std::runtime_error {
 public:
  Error(std::string code, const std::string& message, ErrorDetail detail = {})
      : std::runtime_error(message), m_code(std::move(code)), m_detail(std::move(detail)) {}

  const std::string& code() const noexcept { return m_code; }
  const ErrorDetail& detail() const noexcept { return m_detail; }

 private:
  std::string m_code;
  ErrorDetail m_detail;
};

/// Thrown by long engine calls when their stop token was triggered; what was committed stays committed.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled", "stopped on request") {}
};

}  // namespace tidemark
