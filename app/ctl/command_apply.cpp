#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/ctl/boundary_watch.h"
#include "app/ctl/commands.h"
#include "app/wiring/adapter_environment.h"
#include "engine/apply/apply_stream.h"
#include "engine/load/reread.h"
#include "runbook/profile.h"

namespace tidemark::ctl {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kKeysAtOnce = 1000;

ordered_json countsJson(const ApplyCounts& counts) {
  ordered_json result = ordered_json::object();
  for (const NamedCount& each : kNamedCounts) result[each.name] = counts.*each.count;
  return result;
}

ordered_json resultJson(const StreamResult& result) {
  return {{"lines", result.lines},
          {"committed_line", result.committedLine},
          {"changes", result.changes},
          {"batches", result.batches},
          {"tombstones", result.tombstones},
          {"messages", result.messages},
          {"other_tables", result.otherTables},
          {"counts", countsJson(result.counts)},
          {"complete", result.complete}};
}

/// What one apply works with. Without a source in the profile `source` is empty: the sink's own columns say how values
/// are decoded, and keys that have to be read again stay listed in the sink.
struct ApplyTarget {
  runbook::Profile profile;
  std::unique_ptr<Sink> sink;
  std::unique_ptr<Source> source;
  TableMapping mapping;
};

/// The guard holds only on a table that can keep it: what is no more than a surprise is told, what is missing refused.
void requireFit(SinkReader& sink, const TableMapping& mapping, Terminal& terminal) {
  for (const Finding& finding : sink.inspect(mapping, {})) {
    const std::string text = finding.title + ": " + finding.measured;
    if (finding.severity == Severity::Failure) {
      throw Error("apply.sink_unfit", "the sink does not meet a requirement: " + text, {finding.hint, {}, {}});
    }
    if (finding.severity == Severity::Warning) terminal.note("warning: " + text + ". " + finding.hint);
  }
}

ApplyTarget openApplyTarget(app::AdapterEnvironment& environment, const Options& options, Terminal& terminal) {
  ApplyTarget target;
  target.profile = runbook::loadProfile(options.profile);
  target.sink = environment.openSink(target.profile);
  const TableShape sink = target.sink->describe(TableName::parse(target.profile.sink.table));
  if (target.profile.hasSource()) {
    target.source = environment.openSource(target.profile);
    const TableShape source = target.source->describe(TableName::parse(target.profile.source.table));
    target.mapping = runbook::buildMapping(target.profile, source, sink);
  } else {
    target.mapping = runbook::buildSinkMapping(target.profile, sink);
  }
  requireFit(*target.sink, target.mapping, terminal);
  target.sink->ensureSchema();
  return target;
}

/// Reads doubtful and incomplete keys again, in portions, until none is left. Returns how many there were.
std::uint64_t readKeysAgain(ApplyTarget& target, Terminal& terminal, std::stop_token stop) {
  const BoundaryOptions boundary{target.profile.scheme, target.profile.limits.boundaryTimeout,
                                 target.profile.source.slot, target.mapping.source};
  std::uint64_t read = 0;
  for (auto keys = target.sink->keysToRead(target.mapping, kKeysAtOnce); !keys.empty();
       keys = target.sink->keysToRead(target.mapping, kKeysAtOnce)) {
    rereadKeys(*target.source, *target.sink, target.mapping, keys, boundary, stop, boundaryWatch(terminal));
    read += keys.size();
  }
  return read;
}

void feed(const Options& options, ApplyTarget& target, StreamResult& result, Terminal& terminal, std::stop_token stop) {
  std::ifstream file;
  if (options.from != "-") {
    file.open(options.from, std::ios::binary);
    if (!file) {
      throw Error("lines.file", "the file of changes " + options.from.string() + " cannot be read",
                  {"Name a readable file of JSON lines, or '-' for standard input.", {}, {}});
    }
  }
  std::istream& input = options.from == "-" ? std::cin : file;
  applyStream(input, EventDecoder(target.mapping), target.mapping, *target.sink, StreamOptions{options.batchRows},
              result, stop, terminal);
}

void printResult(const StreamResult& result, Terminal& terminal) {
  const auto& counts = result.counts;
  terminal.say(grouped(result.lines) + " lines, " + grouped(result.changes) + " changes in " + grouped(result.batches) +
               " transactions");
  terminal.say("inserted " + grouped(counts.inserted) + ", updated " + grouped(counts.updated) + ", marked deleted " +
               grouped(counts.markedDeleted) + ", skipped as older " + grouped(counts.skippedOlder) +
               ", skipped as equal " + grouped(counts.skippedEqual) + ", superseded in their batch " +
               grouped(counts.collapsed) + ", doubtful " + grouped(counts.doubtful) + ", incomplete " +
               grouped(counts.incomplete));
  for (const auto& [table, events] : result.otherTables) {
    terminal.say("skipped " + grouped(events) + " events of " + table + ", which this profile does not name");
  }
}

}  // namespace

ExitCode applyCommand(const Options& options, Terminal& terminal, std::stop_token stop) {
  app::AdapterEnvironment environment;
  ApplyTarget target = openApplyTarget(environment, options, terminal);
  StreamResult result;
  try {
    feed(options, target, result, terminal, stop);
  } catch (const Error& error) {
    printResult(result, terminal);
    if (terminal.json()) {
      ordered_json document = resultJson(result);
      document["error"] = ordered_json::parse(errorJson(error));
      terminal.document(document.dump(2));
    }
    throw;
  }
  printResult(result, terminal);
  std::uint64_t readAgain = 0;
  if (!options.leaveKeys && target.source) readAgain = readKeysAgain(target, terminal, stop);
  const auto left = target.sink->keysToRead(target.mapping, kKeysAtOnce);
  if (readAgain > 0) terminal.say("read again from the source: " + grouped(readAgain) + " keys");
  if (!left.empty()) {
    terminal.say("keys still to be read again from the source, as the events do not tell their content: " +
                 std::string(left.size() == kKeysAtOnce ? "at least " : "") + grouped(left.size()));
  }
  if (terminal.json()) {
    ordered_json document = resultJson(result);
    document["read_again"] = readAgain;
    document["keys_to_read"] = left;
    terminal.document(document.dump(2));
  }
  return left.empty() ? ExitCode::Passed : ExitCode::DifferencesFound;
}

}  // namespace tidemark::ctl
