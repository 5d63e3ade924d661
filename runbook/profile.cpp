#include "runbook/profile.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/profile_fields.h"
#include "runbook/text.h"

namespace tidemark::runbook {

using nlohmann::json;

namespace {

constexpr std::int64_t kMany = 1'000'000'000;

void refusePassword(const ProfileFields& fields, const std::string& connection) {
  if (!holdsPassword(connection)) return;
  throw Error(
      "profile.password", text("Field %1 of the profile holds a password.", fields.path("connection")),
      {.hint = text("Take it out: use a service file (service=…), .pgpass or the PGPASSWORD environment variable.")});
}

std::string connectionOf(ProfileFields& fields) {
  std::string connection = fields.required("connection");
  refusePassword(fields, connection);
  return connection;
}

void checkTable(const ProfileFields& fields, const std::string& table) {
  try {
    TableName::parse(table);
  } catch (const Error& problem) {
    fields.refuse("table", problem.what(), text("Write schema.name, quoted parts in double quotes."));
  }
}

SourceProfile sourceOf(ProfileFields fields) {
  SourceProfile source;
  source.system = fields.word("system", {"postgresql", "simulator"});
  if (source.system == "postgresql") {
    source.connection = connectionOf(fields);
  } else {
    source.file = fields.optional("file");
  }
  source.table = fields.required("table");
  checkTable(fields, source.table);
  source.slot = fields.optional("slot");
  fields.finish();
  return source;
}

void readColumns(ProfileFields fields, SinkProfile& sink) {
  sink.positionColumns = fields.names("position");
  sink.ordinalColumn = fields.optional("ordinal");
  sink.markerColumn = fields.required("marker");
  sink.fillers = fields.pairs("fillers");
  sink.columnMap = fields.pairs("map");
  fields.finish();
}

SinkProfile sinkOf(ProfileFields fields) {
  SinkProfile sink;
  sink.system = fields.word("system", {"postgresql", "sqlite"});
  if (sink.system == "postgresql") {
    sink.connection = connectionOf(fields);
  } else {
    sink.file = fields.required("file");
  }
  sink.table = fields.required("table");
  checkTable(fields, sink.table);
  readColumns(fields.object("columns"), sink);
  fields.finish();
  return sink;
}

Limits limitsOf(ProfileFields fields) {
  Limits limits;
  const auto count = [&](const char* name, std::uint64_t otherwise, std::int64_t lowest) {
    return static_cast<std::uint64_t>(fields.number(name, static_cast<std::int64_t>(otherwise), lowest, kMany));
  };
  limits.batchRows = static_cast<std::size_t>(fields.number("batch_rows", 10000, 1, 1'000'000));
  limits.rowsPerSecond = count("rows_per_second", limits.rowsPerSecond, 0);
  limits.maximumSinkLatency = std::chrono::milliseconds(count("maximum_sink_latency_ms", 0, 0));
  limits.longestPause = std::chrono::seconds(count("longest_pause_seconds", 60, 0));
  limits.boundaryTimeout = std::chrono::seconds(count("boundary_timeout_seconds", 300, 1));
  limits.drainTimeout = std::chrono::seconds(count("drain_timeout_seconds", 300, 0));
  limits.sweepCapPermille = static_cast<std::uint64_t>(fields.number("sweep_cap_permille", 10, 0, 1000));
  limits.sweepTolerance = count("sweep_tolerance", limits.sweepTolerance, 0);
  limits.rowsPerBucket = count("rows_per_bucket", limits.rowsPerBucket, 1);
  limits.verifyConnections = static_cast<int>(fields.number("verify_connections", 2, 1, 64));
  limits.canaryKeys = static_cast<std::uint64_t>(fields.number("canary_keys", 5, 1, 1000));
  fields.finish();
  return limits;
}

void checkScheme(const Profile& profile) {
  const auto wanted = static_cast<std::size_t>(positionColumns(profile.scheme));
  if (profile.sink.positionColumns.size() == wanted) return;
  throw Error(
      "profile.field",
      text("Field sink.columns.position of the profile: position_scheme %1 takes %2 column names, %3 are given.",
           std::string(schemeName(profile.scheme)), std::to_string(wanted),
           std::to_string(profile.sink.positionColumns.size())),
      {.hint = text("Name as many columns as the scheme stores numbers.")});
}

Profile profileOf(const json& document) {
  ProfileFields fields(document, {});
  // Editors and validators look for it; it says nothing about the run.
  fields.optional("$schema");
  Profile profile;
  profile.name = fields.required("name");
  profile.environment = fields.required("environment");
  if (fields.has("source")) profile.source = sourceOf(fields.object("source"));
  profile.sink = sinkOf(fields.object("sink"));
  const std::string scheme = fields.has("position_scheme") ? fields.required("position_scheme") : "lsn";
  try {
    profile.scheme = parseScheme(scheme);
  } catch (const Error& problem) {
    fields.refuse("position_scheme", problem.what(),
                  text("Write one of: %1.", std::string("lsn, commit-lsn, binlog, scn")));
  }
  if (fields.has("limits")) profile.limits = limitsOf(fields.object("limits"));
  fields.optional("position_scheme");
  fields.finish();
  checkScheme(profile);
  return profile;
}

}  // namespace

Profile loadProfile(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    throw Error("profile.file", text("The profile %1 cannot be read.", file.string()),
                {.hint = text("Check its name and that you may read it.")});
  }
  const std::string content{std::istreambuf_iterator<char>(input), {}};
  return parseProfile(content);
}

Profile parseProfile(const std::string& jsonText) {
  json document;
  try {
    document = json::parse(jsonText);
  } catch (const json::parse_error& problem) {
    const auto end = jsonText.begin() + static_cast<std::ptrdiff_t>(std::min(problem.byte, jsonText.size()));
    const auto line = 1 + std::count(jsonText.begin(), end, '\n');
    throw Error(
        "profile.json", text("The profile is no JSON: line %1 cannot be read.", std::to_string(line)),
        {.hint = text("Mend that line; the technical detail says what was expected."), .technical = problem.what()});
  }
  return profileOf(document);
}

std::string writeProfile(const Profile& profile) {
  json source{{"system", profile.source.system}, {"table", profile.source.table}};
  if (!profile.source.connection.empty()) source["connection"] = profile.source.connection;
  if (!profile.source.file.empty()) source["file"] = profile.source.file;
  if (!profile.source.slot.empty()) source["slot"] = profile.source.slot;
  json columns{{"position", profile.sink.positionColumns},
               {"marker", profile.sink.markerColumn},
               {"fillers", profile.sink.fillers},
               {"map", profile.sink.columnMap}};
  if (!profile.sink.ordinalColumn.empty()) columns["ordinal"] = profile.sink.ordinalColumn;
  json sink{{"system", profile.sink.system}, {"table", profile.sink.table}, {"columns", columns}};
  if (!profile.sink.connection.empty()) sink["connection"] = profile.sink.connection;
  if (!profile.sink.file.empty()) sink["file"] = profile.sink.file;
  const Limits& limits = profile.limits;
  json document{{"name", profile.name},
                {"environment", profile.environment},
                {"sink", sink},
                {"position_scheme", schemeName(profile.scheme)},
                {"limits",
                 {{"batch_rows", limits.batchRows},
                  {"rows_per_second", limits.rowsPerSecond},
                  {"maximum_sink_latency_ms", limits.maximumSinkLatency.count()},
                  {"longest_pause_seconds", limits.longestPause.count()},
                  {"boundary_timeout_seconds", limits.boundaryTimeout.count()},
                  {"drain_timeout_seconds", limits.drainTimeout.count()},
                  {"sweep_cap_permille", limits.sweepCapPermille},
                  {"sweep_tolerance", limits.sweepTolerance},
                  {"rows_per_bucket", limits.rowsPerBucket},
                  {"verify_connections", limits.verifyConnections},
                  {"canary_keys", limits.canaryKeys}}}};
  if (profile.hasSource()) document["source"] = source;
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

void requireSource(const Profile& profile) {
  if (profile.hasSource()) return;
  throw Error(
      "profile.no_source", text("The profile %1 names no source, and this needs one.", profile.name),
      {.hint = text("Add \"source\" to the profile. Without it, events can be applied and the sink certified.")});
}

bool holdsPassword(const std::string& connection) {
  std::string lower;
  for (const char each : connection) lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(each))));
  const auto scheme = lower.find("://");
  if (scheme != std::string::npos) {
    const auto end = lower.find_first_of("/?", scheme + 3);
    const std::string authority = lower.substr(scheme + 3, end == std::string::npos ? end : end - scheme - 3);
    const auto at = authority.rfind('@');
    const auto colon = authority.find(':');
    if (at != std::string::npos && colon != std::string::npos && colon < at && colon + 1 < at) return true;
  }
  // "sslpassword" opens a client key: just as secret. "passfile" only names a file.
  for (std::size_t at = lower.find("password"); at != std::string::npos; at = lower.find("password", at + 1)) {
    std::size_t next = at + 8;
    while (next < lower.size() && lower[next] == ' ') ++next;
    if (next < lower.size() && lower[next] == '=') return true;
  }
  return false;
}

}  // namespace tidemark::runbook
