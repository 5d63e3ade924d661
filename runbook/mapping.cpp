#include <algorithm>

#include "engine/core/error.h"
#include "runbook/profile.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

std::string sinkName(const Profile& profile, const std::string& sourceColumn) {
  const auto mapped = profile.sink.columnMap.find(sourceColumn);
  return mapped == profile.sink.columnMap.end() ? sourceColumn : mapped->second;
}

[[noreturn]] void missing(const TableShape& table, const std::string& column, const std::string& purpose) {
  throw Error("mapping.column", text("Table %1 has no column %2, which %3.", table.name.display(), column, purpose),
              {.hint = text("Correct the name in the profile, or add the column.")});
}

void requireColumn(const TableShape& table, const std::string& column, const std::string& purpose) {
  if (table.find(column) == nullptr) missing(table, column, purpose);
}

void checkNames(const Profile& profile, const TableShape& source, const TableShape& sink) {
  for (const auto& [from, to] : profile.sink.columnMap) {
    requireColumn(source, from, text("the profile maps to %1", to));
    requireColumn(sink, to, text("the profile maps %1 to", from));
  }
  for (const std::string& each : profile.sink.positionColumns) {
    requireColumn(sink, each, text("the profile names for the position"));
  }
  if (!profile.sink.ordinalColumn.empty()) {
    requireColumn(sink, profile.sink.ordinalColumn, text("the profile names for the ordinal"));
  }
  requireColumn(sink, profile.sink.markerColumn, text("the profile names for the delete marker"));
  for (const auto& [column, value] : profile.sink.fillers) {
    requireColumn(sink, column, text("the profile names a filler for"));
  }
}

bool bearsTheGuard(const Profile& profile, const std::string& sinkColumn) {
  const auto& positions = profile.sink.positionColumns;
  return sinkColumn == profile.sink.markerColumn || sinkColumn == profile.sink.ordinalColumn ||
         std::find(positions.begin(), positions.end(), sinkColumn) != positions.end();
}

}  // namespace

TableMapping buildMapping(const Profile& profile, const TableShape& source, const TableShape& sink) {
  checkNames(profile, source, sink);
  if (source.key.empty()) {
    throw Error("mapping.no_key", text("Table %1 has no primary key.", source.name.display()),
                {.hint = text("Convergence is per key: add a primary key to the source's table first.")});
  }
  if (profile.sink.positionColumns.size() != static_cast<std::size_t>(positionColumns(profile.scheme))) {
    throw Error("mapping.position_columns",
                text("Position scheme %1 does not fit the number of position columns in the profile.",
                     std::string(schemeName(profile.scheme))),
                {.hint = text("Name one column for lsn, binlog and scn, two for commit-lsn.")});
  }
  TableMapping mapping;
  mapping.source = source.name;
  mapping.sink = sink.name;
  mapping.scheme = profile.scheme;
  mapping.positionColumns = profile.sink.positionColumns;
  mapping.ordinalColumn = profile.sink.ordinalColumn;
  if (!mapping.ordinalColumn.empty()) mapping.positionColumns.push_back(mapping.ordinalColumn);
  mapping.markerColumn = profile.sink.markerColumn;
  mapping.fillers = profile.sink.fillers;
  for (const std::size_t index : source.key) {
    const Column& column = source.columns.at(index);
    const std::string target = sinkName(profile, column.name);
    requireColumn(sink, target, text("belongs to the source's primary key"));
    mapping.key.push_back({column.name, target, column.type});
  }
  for (std::size_t index = 0; index < source.columns.size(); ++index) {
    if (std::find(source.key.begin(), source.key.end(), index) != source.key.end()) continue;
    const Column& column = source.columns[index];
    const std::string target = sinkName(profile, column.name);
    if (sink.find(target) == nullptr || bearsTheGuard(profile, target)) continue;
    mapping.payload.push_back({column.name, target, column.type});
  }
  return mapping;
}

TableMapping buildSinkMapping(const Profile& profile, const TableShape& sink) {
  std::map<std::string, std::string> sourceNames;
  for (const auto& [from, to] : profile.sink.columnMap) sourceNames[to] = from;
  TableShape source;
  source.name.name = sink.name.name;
  for (std::size_t index = 0; index < sink.columns.size(); ++index) {
    if (bearsTheGuard(profile, sink.columns[index].name)) continue;
    Column column = sink.columns[index];
    const auto named = sourceNames.find(column.name);
    if (named != sourceNames.end()) column.name = named->second;
    source.columns.push_back(column);
  }
  for (const std::size_t index : sink.key) {
    const std::string& name = sink.columns.at(index).name;
    const auto isThis = [&](const Column& each) { return sinkName(profile, each.name) == name; };
    const auto found = std::find_if(source.columns.begin(), source.columns.end(), isThis);
    if (found != source.columns.end()) {
      source.key.push_back(static_cast<std::size_t>(found - source.columns.begin()));
    }
  }
  return buildMapping(profile, source, sink);
}

}  // namespace tidemark::runbook
