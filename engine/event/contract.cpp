#include "engine/event/contract.h"

#include <algorithm>
#include <array>
#include <functional>

#include "engine/core/error.h"
#include "engine/event/json_value.h"

namespace tidemark {

namespace {

constexpr std::array<std::string_view, 7> kSnapshotFlags{
    "true", "first", "first_in_data_collection", "last_in_data_collection", "last", "false", "incremental"};

/// One text for equal values, whatever the order of their members.
void print(const JsonValue& value, std::string& out) {
  switch (value.type) {
    case JsonValue::Type::Null:
      out += "null";
      return;
    case JsonValue::Type::Boolean:
      out += value.boolean ? "true" : "false";
      return;
    case JsonValue::Type::Number:
      out += value.text;
      return;
    case JsonValue::Type::String:
      out += '"' + std::to_string(value.text.size()) + ':' + value.text;
      return;
    case JsonValue::Type::Array:
      out += '[';
      for (const JsonValue& item : value.items) print(item, out += ',');
      out += ']';
      return;
    case JsonValue::Type::Object: {
      std::vector<const JsonMember*> sorted;
      for (const JsonMember& member : value.members) sorted.push_back(&member);
      std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
      out += '{';
      for (const JsonMember* member : sorted) print(member->value, out += member->name + '=');
      out += '}';
      return;
    }
  }
}

std::string printed(const JsonValue* value) {
  std::string text;
  if (value != nullptr) print(*value, text);
  return text;
}

bool present(const JsonValue& parent, std::string_view name) {
  const JsonValue* member = parent.find(name);
  return member != nullptr && !member->isNull();
}

std::string_view snapshotFlag(const JsonValue& source) {
  return present(source, "snapshot") ? source.string("snapshot") : std::string_view("false");
}

}  // namespace

class ContractChecker::Findings {
 public:
  explicit Findings(std::uint64_t record) : m_record(record) {}
  void add(std::string_view code, std::string message) {
    m_found.push_back({m_record, std::string(code), std::move(message)});
  }
  std::vector<ContractViolation> take() { return std::move(m_found); }

 private:
  std::uint64_t m_record;
  std::vector<ContractViolation> m_found;
};

ContractChecker::ContractChecker(ContractTerms terms) : m_terms(std::move(terms)) {}

std::vector<ContractViolation> ContractChecker::check(std::string_view key, std::string_view value) {
  Findings findings(++m_records);
  try {
    const JsonValue keyTree = parseJson(key.empty() ? "null" : key, "key");
    const JsonValue valueTree = parseJson(value, "value");
    const JsonValue& bareKey = *unwrap(keyTree).payload;
    const JsonValue& envelope = *unwrap(valueTree).payload;
    checkTombstone(printed(&bareKey), envelope.isNull(), findings);
    if (!envelope.isNull()) checkEnvelope(bareKey, envelope, findings);
  } catch (const Error& error) {
    findings.add("json", error.what());
  }
  return findings.take();
}

std::vector<ContractViolation> ContractChecker::finish() {
  Findings findings(m_records);
  if (m_afterDelete && m_terms.tombstones)
    findings.add("tombstone", "The stream ends with a delete that no tombstone follows.");
  m_afterDelete = false;
  return findings.take();
}

void ContractChecker::checkTombstone(const std::string& key, bool isTombstone, Findings& findings) {
  // A partition keeps the order in which the connector sent both: nothing may stand between them.
  const bool fitting = m_afterDelete && m_deletedKey == key;
  if (isTombstone && !fitting) findings.add("tombstone", "A tombstone must follow a delete of the same key.");
  if (m_afterDelete && m_terms.tombstones && !(isTombstone && fitting))
    findings.add("tombstone", "The delete before this record was not followed by its tombstone.");
  m_afterDelete = false;
}

void ContractChecker::checkEnvelope(const JsonValue& key, const JsonValue& envelope, Findings& findings) {
  const std::string_view op = envelope.string("op");
  const JsonValue* source = envelope.find("source");
  if (source == nullptr || !source->isObject()) {
    findings.add("envelope", "source is missing: the position stands in it.");
    return;
  }
  if (op == "t") {
    if (!m_terms.truncatesExpected)
      findings.add("truncate", "A truncate arrived, and the terms do not say what it does to the sink.");
    if (!key.isNull()) findings.add("key", "A truncate must not have a key.");
    return;
  }
  if (op == "m") {
    if (!m_terms.messagesExpected)
      findings.add("message", "A logical decoding message arrived in a table's topic, and the terms expect none.");
    return;
  }
  if (op.size() != 1 || std::string_view("cudr").find(op) == std::string_view::npos) {
    findings.add("op", "op must be one of c, u, d, r, t and m, and is \"" + std::string(op) + "\".");
    return;
  }
  checkRow(key, envelope, op.front(), findings);
}

void ContractChecker::checkRow(const JsonValue& key, const JsonValue& envelope, char op, Findings& findings) {
  const JsonValue& source = *envelope.find("source");
  for (const std::string& column : m_terms.keyColumns)
    if (!key.isObject() || !present(key, column))
      findings.add("key", "The message key lacks column \"" + column + "\".");
  checkImages(key, envelope, op, findings);

  const std::string_view flag = snapshotFlag(source);
  if (std::find(kSnapshotFlags.begin(), kSnapshotFlags.end(), flag) == kSnapshotFlags.end())
    findings.add("snapshot", "source.snapshot must be a string that the connector knows.");
  if (op == 'r' && flag == "false") findings.add("snapshot", "A read must come from a snapshot: source.snapshot.");
  if (op != 'r' && flag == "incremental")
    findings.add("snapshot", "A change is flagged as incremental: only reads can be.");

  const auto number = [&](std::string_view name) {
    const JsonValue* member = source.find(name);
    return member != nullptr && member->integer().has_value();
  };
  if (!number("ts_ms")) findings.add("time", "source.ts_ms must be an integer.");
  if (flag == "incremental") {
    if (present(source, "lsn")) findings.add("position", "An incremental read must not have source.lsn.");
  } else {
    if (!number("lsn")) findings.add("position", "source.lsn must be an integer.");
    if (!number("txId")) findings.add("position", "source.txId must be an integer.");
  }

  // Two reads at one position may differ: a position is a change's, not a read's.
  if (op != 'r' && number("lsn")) checkRedelivery(printed(&key), envelope, findings);
  if (op == 'd') {
    m_afterDelete = true;
    m_deletedKey = printed(&key);
  }
}

void ContractChecker::checkImages(const JsonValue& key, const JsonValue& envelope, char op, Findings& findings) const {
  const bool hasBefore = present(envelope, "before");
  const bool hasAfter = present(envelope, "after");
  const std::string name(1, op);
  if ((op == 'c' || op == 'r') && hasBefore) findings.add("before", "op " + name + ": before must be null.");
  if (op == 'd' && !hasBefore) findings.add("before", "op d: before is required.");
  if (op == 'u' && !hasBefore && m_terms.fullReplicaIdentity)
    findings.add("before", "op u: before is required with full replica identity.");
  if (op != 'd' && !hasAfter) findings.add("after", "op " + name + ": after is required.");
  if (op == 'd' && hasAfter) findings.add("after", "op d: after must be null.");

  const JsonValue* image = envelope.find(op == 'd' ? "before" : "after");
  if (image == nullptr || !image->isObject()) return;
  checkColumns(*image, op, findings);
  for (const std::string& column : m_terms.keyColumns) {
    const JsonValue* inKey = key.find(column);
    const JsonValue* inImage = image->find(column);
    if (inKey != nullptr && inImage != nullptr && !(*inKey == *inImage))
      findings.add("image_key", "Column \"" + column + "\" differs between key and image.");
  }
}

void ContractChecker::checkColumns(const JsonValue& image, char op, Findings& findings) const {
  // Of a delete's image only the key is real with the default replica identity, so nothing else is required.
  const bool keyOnly = op == 'd' && !m_terms.fullReplicaIdentity;
  for (const std::string& column : keyOnly ? m_terms.keyColumns : m_terms.requiredColumns)
    if (image.find(column) == nullptr) findings.add("column", "Required column \"" + column + "\" is missing.");
}

void ContractChecker::checkRedelivery(const std::string& key, const JsonValue& envelope, Findings& findings) {
  const JsonValue& source = *envelope.find("source");
  // Not compared: the outer times (when the connector worked on it), and of the source what may truly differ when a
  // change is sent again: the version after an upgrade, and the last commit, which is null after an offset reset.
  std::string content(envelope.string("op"));
  for (const auto* part : {envelope.find("before"), envelope.find("after"), source.find("txId"), source.find("ts_ms"),
                           source.find("schema"), source.find("table")})
    content += '|' + printed(part);
  const std::uint64_t hash = std::hash<std::string>{}(content);

  const auto [place, isNew] = m_contents.try_emplace(key + '@' + source.find("lsn")->text, hash);
  if (!isNew) {
    if (place->second != hash)
      findings.add("redelivery", "A change at LSN " + source.find("lsn")->text +
                                     " was delivered before with another content for the same key.");
    return;
  }
  m_oldest.push_back(place->first);
  while (m_oldest.size() > std::max<std::size_t>(m_terms.rememberedChanges, 1)) {
    m_contents.erase(m_oldest.front());
    m_oldest.pop_front();
  }
}

}  // namespace tidemark
