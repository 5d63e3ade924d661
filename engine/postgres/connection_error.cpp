#include "engine/postgres/connection_error.h"

#include <algorithm>

namespace tidemark::postgres {

namespace {

bool isStateCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

struct Mapping {
  const char* code = "postgres.statement";
  const char* hint = "";
  bool retryCanHelp = false;
};

Mapping mappingOf(const std::string& state) {
  const std::string family = state.substr(0, 2);
  if (state == "42501") return {"postgres.permission", "Grant the role the right that is named, or use another role."};
  if (state == "42P01") return {"postgres.no_table", "Check schema and name of the table, and the database."};
  if (state == "55P03")
    return {"postgres.lock_timeout", "Another session holds a lock on the table: wait for it, or end it.", true};
  if (state == "40001" || state == "40P01")
    return {"postgres.conflict", "The server gave way to another transaction: try again.", true};
  if (state == "53100") return {"postgres.disk_full", "Free space on the server's disk, then go on."};
  if (family == "53") return {"postgres.statement", "The server is short of resources: try again later.", true};
  if (family == "08" || state == "57P01" || state == "57P02" || state == "57P03")
    return {"postgres.lost", "Check that the server runs and can be reached, then go on.", true};
  return {};
}

}  // namespace

std::string firstLine(std::string_view message) {
  const auto end = message.find_first_of("\r\n");
  return std::string(message.substr(0, end));
}

std::string sqlStateInMessage(std::string_view message) {
  for (std::size_t at = message.find(": "); at != std::string_view::npos; at = message.find(": ", at + 1)) {
    if (at < 5) continue;
    const std::string_view candidate = message.substr(at - 5, 5);
    const bool alone = at == 5 || message[at - 6] == ' ';
    const bool hasDigit = std::any_of(candidate.begin(), candidate.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (alone && hasDigit && std::all_of(candidate.begin(), candidate.end(), isStateCharacter))
      return std::string(candidate);
  }
  return {};
}

Error statementError(const std::string& sqlState, const std::string& message, const std::string& serverDetail,
                     const std::string& statement, const std::string& serverFunction) {
  Mapping mapping = mappingOf(sqlState);
  // The server reports a policy under row_security = off as a plain lack of rights, in any language: only the
  // function that raised it tells them apart.
  if (sqlState == "42501" && serverFunction == "check_enable_rls")
    mapping = {"postgres.row_security",
               "A policy would hide rows from this role: use the table's owner or a role with BYPASSRLS."};
  ErrorDetail detail;
  detail.hint = mapping.hint;
  detail.technical = serverDetail + (serverDetail.empty() ? "" : "\n") + "statement: " + statement;
  detail.systemCode = sqlState;
  detail.retryCanHelp = mapping.retryCanHelp;
  return Error(mapping.code, "PostgreSQL: " + message, std::move(detail));
}

Error connectError(const std::string& sqlState, const std::string& message, const std::string& target,
                   bool needsPassword) {
  ErrorDetail detail;
  detail.systemCode = sqlState;
  detail.technical = message;
  if (needsPassword || sqlState == "28P01") {
    detail.hint =
        "Check the user's entry in the password file (~/.pgpass, mode 0600), the service file or PGPASSWORD; "
        "passwords are never kept in a profile.";
    return Error("postgres.wrong_password",
                 needsPassword ? "the server asks for a password and none was found for " + target
                               : "the server refused the password for " + target,
                 std::move(detail));
  }
  if (sqlState == "3D000") {
    detail.hint = "Check the database's name in the profile, or create the database.";
    return Error("postgres.no_database", "the database does not exist: " + target, std::move(detail));
  }
  if (sqlState.empty()) {
    detail.hint = "Check host and port, that the server runs and listens there, and any firewall in between.";
    detail.retryCanHelp = true;
    return Error("postgres.unreachable", "no PostgreSQL server can be reached: " + target, std::move(detail));
  }
  detail.retryCanHelp = sqlState == "57P03" || sqlState == "53300";
  detail.hint = sqlState == "57P03"   ? "The server is starting up or shutting down: try again in a moment."
                : sqlState == "53300" ? "The server has no connection left: close some, or raise max_connections."
                                      : "Check the role's name, its LOGIN right and the server's pg_hba.conf.";
  return Error("postgres.refused", "the server refused " + target + ": " + firstLine(message), std::move(detail));
}

Error lostError(const std::string& message, const std::string& target) {
  ErrorDetail detail;
  detail.hint = "Check that the server runs and can be reached, then go on.";
  detail.technical = message;
  detail.systemCode = "08006";
  detail.retryCanHelp = true;
  return Error("postgres.lost", "the connection was lost: " + target, std::move(detail));
}

}  // namespace tidemark::postgres
