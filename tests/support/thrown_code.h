#pragma once

#include <functional>
#include <string>

#include "engine/core/error.h"

namespace tidemark::test {

/// Code of the Error that `action` throws; "nothing thrown" otherwise.
inline std::string codeOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return "nothing thrown";
}

}  // namespace tidemark::test
