#include "engine/core/error.h"
#include "engine/event/event.h"
#include "engine/event/json_value.h"
#include "engine/event/value_decoder.h"

namespace tidemark {

namespace {

[[noreturn]] void refusePosition(const Event& event, const std::string& reason) {
  throw Error("event.position", "An event of " + event.schema + "." + event.table + " has no position: " + reason + ".",
              {.hint = "Without a position the guard cannot order it. Check that no transform drops or rewrites the "
                       "source block."});
}

Operation operationOf(std::string_view op) {
  if (op == "c") return Operation::Create;
  if (op == "u") return Operation::Update;
  if (op == "d") return Operation::Delete;
  if (op == "r") return Operation::Read;
  if (op == "t") return Operation::Truncate;
  if (op == "m") return Operation::Message;
  throw Error(
      "event.envelope",
      op.empty() ? std::string("The event is no change envelope: it has no op.")
                 : "The event has op \"" + std::string(op) + "\", which is not known.",
      {.hint = "Read the connector's own topic: an unwrap transform, heartbeats and transaction topics carry no "
               "envelopes."});
}

bool isRowOperation(Operation operation) {
  return operation == Operation::Create || operation == Operation::Update || operation == Operation::Delete ||
         operation == Operation::Read;
}

/// A number of the source block; null and absent are the same.
std::optional<std::int64_t> sourceNumber(const Event& event, const JsonValue& source, std::string_view name) {
  const JsonValue* member = source.find(name);
  if (member == nullptr || member->isNull()) return std::nullopt;
  const auto value = member->integer();
  if (!value) refusePosition(event, "source." + std::string(name) + " is no number below 2^63");
  return value;
}

struct SourceBlock {
  Event event;
  std::optional<Sequence> sequence;
};

SourceBlock readSource(const JsonValue& envelope) {
  SourceBlock block;
  Event& event = block.event;
  event.operation = operationOf(envelope.string("op"));
  event.snapshot = "false";
  const JsonValue* source = envelope.find("source");
  if (source == nullptr || !source->isObject())
    throw Error("event.envelope", "The event has no source block.",
                {.hint = "Check that no transform drops the source block: the position stands in it."});
  event.schema = source->string("schema");
  event.table = source->string("table");
  if (const auto snapshot = source->string("snapshot"); !snapshot.empty()) event.snapshot = snapshot;
  event.lsn = sourceNumber(event, *source, "lsn");
  event.transactionId = sourceNumber(event, *source, "txId");
  event.timestamp = sourceNumber(event, *source, "ts_ms");
  if (const auto sequence = source->string("sequence"); !sequence.empty()) {
    try {
      block.sequence = parseSequence(sequence);
    } catch (const Error& error) {
      refusePosition(event, error.what());
    }
    event.lastCommit = block.sequence->lastCommit;
  }
  return block;
}

void positionChange(Change& change, const SourceBlock& block, PositionScheme scheme) {
  const Event& event = block.event;
  if (scheme != PositionScheme::Lsn && scheme != PositionScheme::CommitLsn)
    refusePosition(event, "positions of scheme " + std::string(schemeName(scheme)) + " are not read from events yet");
  if (scheme == PositionScheme::CommitLsn && !block.sequence)
    refusePosition(event, "source.sequence is missing, which the scheme commit-lsn needs");
  change.firstElementNull = block.sequence && !block.sequence->lastCommit;
  change.lsn = block.sequence ? block.sequence->lsn : event.lsn.value_or(0);
  if (change.isRead) {
    change.position = readPosition(scheme, event.lastCommit);
    return;
  }
  if (!event.lsn && !block.sequence) refusePosition(event, "source.lsn is missing");
  if (event.lsn && block.sequence && *event.lsn != block.sequence->lsn)
    refusePosition(event, "source.lsn is " + std::to_string(*event.lsn) + " but source.sequence says " +
                              std::to_string(block.sequence->lsn));
  if (event.lsn) change.lsn = *event.lsn;
  change.position = changePosition(scheme, event.lastCommit, change.lsn);
}

/// The images and schemas that a change is decoded from.
struct Images {
  Unwrapped key;
  const JsonValue* image = nullptr;  ///< after, or before of a delete.
  const JsonValue* imageSchema = nullptr;
};

const JsonValue* objectMember(const JsonValue& parent, std::string_view name) {
  const JsonValue* member = parent.find(name);
  return member != nullptr && member->isObject() ? member : nullptr;
}

Key decodeKey(const TableMapping& mapping, const EventEncodings& encodings, const Images& images) {
  Key key;
  for (const ColumnPair& column : mapping.key) {
    // A connector told to use other message keys still has the columns in the image.
    const JsonValue* value = images.key.payload->find(column.source);
    const JsonValue* schema = fieldSchema(images.key.schema, column.source);
    if (value == nullptr && images.image != nullptr) {
      value = images.image->find(column.source);
      schema = fieldSchema(images.imageSchema, column.source);
    }
    if (value == nullptr)
      throw Error("event.key", "The event's key lacks column \"" + column.source + "\".",
                  {.hint = "A table without primary key cannot be applied; check message.key.columns."});
    Cell cell = decodeValue(column.type, column.source, *value, schema, encodings);
    if (!cell.isPresent())
      throw Error("event.key", "Key column \"" + column.source + "\" is null or was left out.",
                  {.hint = "A key column must be NOT NULL at the source."});
    key.push_back(std::move(cell.text));
  }
  return key;
}

Row decodePayload(const TableMapping& mapping, const EventEncodings& encodings, const Images& images) {
  Row row;
  row.reserve(mapping.payload.size());
  for (const ColumnPair& column : mapping.payload) {
    const JsonValue* value = images.image->find(column.source);
    if (value == nullptr)
      throw Error("event.missing_column",
                  "The event of " + mapping.source.display() + " lacks column \"" + column.source + "\".",
                  {.hint = "It was dropped or renamed at the source, is excluded by the connector, or has a type that "
                           "the connector leaves out. Change the mapping, or the connector's column list."});
    row.push_back(
        decodeValue(column.type, column.source, *value, fieldSchema(images.imageSchema, column.source), encodings));
  }
  return row;
}

}  // namespace

EventDecoder::EventDecoder(TableMapping mapping, EventEncodings encodings)
    : m_mapping(std::move(mapping)), m_encodings(std::move(encodings)) {}

Event EventDecoder::decode(std::string_view key, std::string_view value) const {
  const JsonValue valueTree = parseJson(value, "value");
  const Unwrapped envelope = unwrap(valueTree);
  if (envelope.payload->isNull()) {
    Event tombstone;
    tombstone.operation = Operation::Tombstone;
    tombstone.snapshot = "false";
    return tombstone;
  }
  SourceBlock block = readSource(*envelope.payload);
  Event& event = block.event;
  const bool ourTable = event.table == m_mapping.source.name &&
                        (m_mapping.source.schema.empty() || event.schema == m_mapping.source.schema);
  if (!isRowOperation(event.operation) || !ourTable) return std::move(event);

  const JsonValue keyTree = parseJson(key.empty() ? "null" : key, "key");
  const bool isDelete = event.operation == Operation::Delete;
  const std::string_view imageName = isDelete ? "before" : "after";
  Images images;
  images.key = unwrap(keyTree);
  images.image = objectMember(*envelope.payload, imageName);
  images.imageSchema = fieldSchema(envelope.schema, imageName);
  if (!isDelete && images.image == nullptr)
    throw Error("event.envelope", "The event with op " + std::string(envelope.payload->string("op")) + " has no after.",
                {.hint = "Check that no transform drops the images."});

  Change change;
  change.deleted = isDelete;
  change.isRead = event.operation == Operation::Read;
  positionChange(change, block, m_mapping.scheme);
  change.key = decodeKey(m_mapping, m_encodings, images);
  if (!isDelete) change.payload = decodePayload(m_mapping, m_encodings, images);
  event.change = std::move(change);
  return std::move(event);
}

}  // namespace tidemark
