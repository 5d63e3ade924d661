#pragma once

#include <string>
#include <string_view>

#include "engine/core/error.h"

namespace tidemark::postgres {

/// Maps a server's answer to an Error: code by SQLSTATE, hint with the way out, whether a retry can help.
/// `serverFunction` is the server's function that raised it.
Error statementError(const std::string& sqlState, const std::string& message, const std::string& serverDetail,
                     const std::string& statement, const std::string& serverFunction);
/// Maps a refused log-in. `sqlState` is empty when no server answered; `target` is "shop on 127.0.0.1:5432 as reader".
Error connectError(const std::string& sqlState, const std::string& message, const std::string& target,
                   bool needsPassword);
Error lostError(const std::string& message, const std::string& target);

/// Finds the SQLSTATE in a verbose libpq message ("FATAL:  28P01: …"), whatever language the rest is in.
std::string sqlStateInMessage(std::string_view message);
/// Trailing line ends and libpq's source locations cut off.
std::string firstLine(std::string_view message);

}  // namespace tidemark::postgres
