#include <nlohmann/json.hpp>

#include "runbook/codec.h"
#include "runbook/gates.h"
#include "runbook/run_facts.h"
#include "runbook/step_context.h"
#include "runbook/steps/numbered_step.h"
#include "runbook/text.h"
#include "runbook/write_guards.h"

namespace tidemark::runbook {

namespace {

std::vector<Key> firstKeys(StepContext& context) {
  std::vector<Key> keys;
  const auto rows = context.source().rows(context.mapping(), scopeOf(context.state()));
  StoredRow row;
  while (keys.size() < context.profile().limits.canaryKeys && rows->next(row)) keys.push_back(row.key);
  return keys;
}

std::vector<std::string> differingColumns(const TableMapping& mapping, const StoredRow& sent, const StoredRow& stored) {
  std::vector<std::string> columns;
  for (std::size_t index = 0; index < mapping.payload.size(); ++index) {
    const ColumnPair& column = mapping.payload[index];
    if (!sameValue(column.type.kind, sent.payload.at(index), stored.payload.at(index))) columns.push_back(column.sink);
  }
  return columns;
}

const StoredRow* rowOf(const std::vector<StoredRow>& rows, const Key& key) {
  for (const StoredRow& each : rows) {
    if (each.key == key) return &each;
  }
  return nullptr;
}

// Rows that the sink holds at a newer position are the stream's: they are left alone, and not compared.
nlohmann::json compared(const TableMapping& mapping, const Position& boundary, const std::vector<StoredRow>& sent,
                        const std::vector<StoredRow>& stored) {
  nlohmann::json rows = nlohmann::json::array();
  for (const StoredRow& each : sent) {
    const StoredRow* there = rowOf(stored, each.key);
    nlohmann::json row = nlohmann::json::parse(encodeStoredRow(each, mapping));
    row["position"] = displayPosition(mapping.scheme, boundary);
    row["op"] = "read";
    if (there == nullptr) {
      row["verdict"] = "not_there";
    } else if (boundary < there->position) {
      row["verdict"] = "newer_in_sink";
      row["stored_position"] = displayPosition(mapping.scheme, there->position);
    } else if (there->position == boundary) {
      const auto columns = differingColumns(mapping, each, *there);
      row["verdict"] = columns.empty() && !there->deleted ? "stored" : "differs";
      row["differing_columns"] = columns;
    } else {
      row["verdict"] = "older_in_sink";
      row["stored_position"] = displayPosition(mapping.scheme, there->position);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

class SampleStep final : public NumberedStep {
 public:
  SampleStep() : NumberedStep(7) {}

  std::vector<Question> questions(StepContext&) override {
    return {acceptedBy(text("Who has looked at the sample and accepts it?"))};
  }

  std::vector<Gate> measure(StepContext& context) override {
    std::vector<Gate> gates = writeGuards(context);
    gates.push_back(
        notApplicable("sample.snapshot_flag", text("op and source.snapshot of the events"),
                      text("Does not apply: rows read by SQL are no events; their position is the boundary.")));
    const std::string fact = context.state().step(7).fact("sample");
    if (fact.empty()) {
      gates.push_back(asOutcome(unknown("sample.applied", text("Sample was applied"), text("Apply it."))));
      return gates;
    }
    addSampleGates(nlohmann::json::parse(fact), gates);
    return gates;
  }

  std::vector<Action> actions(StepContext& context) override {
    const auto boundary = boundaryOf(context.state());
    Action canary;
    canary.id = "canary";
    canary.title = text("Load the first %1 keys", std::to_string(context.profile().limits.canaryKeys));
    canary.statement = text("%1\n-- the first %2 keys only, stamped with %3, applied where stored < incoming",
                            context.source().loadStatement(context.mapping(), scopeOf(context.state())),
                            std::to_string(context.profile().limits.canaryKeys),
                            boundary ? displayPosition(context.profile().scheme, boundary->position) : "?");
    canary.rows = context.profile().limits.canaryKeys;
    canary.writes = true;
    canary.reverse = text("The guard lets nothing newer be overwritten; what the stream brings later wins.");
    canary.done = context.state().step(7).performed.contains("canary");
    if (!boundary) canary.blockedBecause = text("there is no boundary yet");
    return {canary};
  }

  void perform(StepContext& context, const std::string&) override {
    const Boundary boundary = *boundaryOf(context.state());
    const TableMapping& mapping = context.mapping();
    context.lockTable();
    const std::vector<StoredRow> sent = context.source().readKeys(mapping, firstKeys(context), boundary);
    context.source().confirmRead(boundary, context.stopToken());
    std::vector<Change> changes;
    std::vector<Key> keys;
    for (const StoredRow& each : sent) {
      Change& change = changes.emplace_back();
      change.key = each.key;
      change.payload = each.payload;
      change.isRead = true;
      change.position = boundary.position;
      keys.push_back(each.key);
    }
    const ApplyResult result = context.sink().apply(mapping, changes);
    const auto stored = context.sink().readKeys(mapping, keys);
    context.record(7, "sample",
                   canonicalDump({{"rows", compared(mapping, boundary.position, sent, stored)},
                                  {"counts", nlohmann::json::parse(encodeCounts(result.counts))}}));
  }

  Reconciliation reconcile(StepContext&, const InterruptedEffect&) override {
    return {
        false,
        text("Whether the sample arrived does not matter: the same rows at the same position change nothing when they "
             "are applied again.")};
  }

 private:
  static void addSampleGates(const nlohmann::json& sample, std::vector<Gate>& gates) {
    std::uint64_t stored = 0;
    std::uint64_t newer = 0;
    std::string wrong;
    for (const auto& row : sample.at("rows")) {
      const auto verdict = row.at("verdict").get<std::string>();
      if (verdict == "stored") {
        ++stored;
      } else if (verdict == "newer_in_sink") {
        ++newer;
      } else {
        wrong += (wrong.empty() ? "" : ", ") + row.at("key").get<std::string>() + " " + verdict;
      }
    }
    gates.push_back(
        asOutcome(check(wrong.empty(), "sample.applied", text("Sample arrived as it was sent"),
                        wrong.empty() ? text("%1 stored at the boundary, %2 newer in the sink and left alone",
                                             std::to_string(stored), std::to_string(newer))
                                      : wrong,
                        text("sink, read back"),
                        text("The sink does not give back what was written: compare the column types, and stop "
                             "here."))));
  }
};

}  // namespace

std::unique_ptr<Step> makeSampleStep() {
  return std::make_unique<SampleStep>();
}

}  // namespace tidemark::runbook
