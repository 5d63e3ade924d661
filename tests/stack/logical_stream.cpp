#include "tests/stack/logical_stream.h"

#include <algorithm>
#include <stdexcept>

#include "engine/position/position.h"
#include "engine/postgres/catalogue.h"
#include "tests/stack/decoded_change.h"

namespace tidemark::test {

namespace {

std::string object(const std::vector<DecodedColumn>& columns) {
  std::string text;
  for (const DecodedColumn& column : columns)
    text += (text.empty() ? "" : ",") + jsonText(column.name) + ":" + jsonValue(column);
  return "{" + text + "}";
}

std::vector<DecodedColumn> keyColumns(const std::vector<DecodedColumn>& columns, const std::vector<std::string>& key) {
  std::vector<DecodedColumn> result;
  for (const std::string& name : key) {
    const auto at =
        std::find_if(columns.begin(), columns.end(), [&](const DecodedColumn& column) { return column.name == name; });
    if (at == columns.end()) throw std::runtime_error("the change lacks the key column " + name);
    result.push_back(*at);
  }
  return result;
}

std::string line(const std::string& key, const std::string& value) {
  return "{\"key\":" + key + ",\"value\":" + value + "}";
}

std::string event(const char* operation, const std::string& before, const std::string& after,
                  const std::string& source) {
  return "{\"before\":" + before + ",\"after\":" + after + ",\"source\":" + source + ",\"op\":\"" + operation +
         "\",\"ts_ms\":0}";
}

}  // namespace

struct LogicalStream::Transaction {
  std::string id;
  std::optional<std::int64_t> commitBefore;

  std::string source(const DecodedChange& change, std::int64_t lsn) const {
    const std::string first = commitBefore ? "\"" + std::to_string(*commitBefore) + "\"" : "null";
    const std::string sequence = "[" + first + ",\"" + std::to_string(lsn) + "\"]";
    return "{\"version\":\"test\",\"connector\":\"postgresql\",\"name\":\"test\",\"ts_ms\":0,\"snapshot\":\"false\","
           "\"db\":\"test\",\"sequence\":" +
           jsonText(sequence) + ",\"schema\":" + jsonText(change.schema) + ",\"table\":" + jsonText(change.table) +
           ",\"txId\":" + id + ",\"lsn\":" + std::to_string(lsn) + ",\"xmin\":null}";
  }
};

LogicalStream::LogicalStream(const std::string& connection, std::string slot)
    : m_connection(connection), m_slot(std::move(slot)) {}

void LogicalStream::createSlot(const std::string& connection, const std::string& slot) {
  postgres::Connection(connection).exec("SELECT pg_create_logical_replication_slot($1, 'test_decoding')", {slot});
}

const std::vector<std::string>& LogicalStream::keyOf(const std::string& schema, const std::string& table) {
  const std::string name = schema + "." + table;
  const auto known = m_keys.find(name);
  if (known != m_keys.end()) return known->second;
  const auto found = postgres::findTable(m_connection, {schema, table});
  return m_keys[name] = found ? found->key : std::vector<std::string>{};
}

void LogicalStream::addChange(const std::string& data, std::int64_t lsn, const Transaction& transaction,
                              std::vector<std::string>& lines) {
  const DecodedChange change = parseDecodedChange(data);
  const std::string source = transaction.source(change, lsn);
  if (change.kind == DecodedChange::Kind::Truncate) {
    lines.push_back(line("null", event("t", "null", "null", source)));
    return;
  }
  const std::vector<std::string>& key = keyOf(change.schema, change.table);
  const std::string oldKey = change.oldKey.empty() ? "" : object(keyColumns(change.oldKey, key));
  if (change.kind == DecodedChange::Kind::Delete) {
    lines.push_back(line(oldKey, event("d", object(change.oldKey), "null", source)));
    lines.push_back(line(oldKey, "null"));
    return;
  }
  const std::string newKey = object(keyColumns(change.columns, key));
  const std::string after = object(change.columns);
  const bool moved = !oldKey.empty() && oldKey != newKey;
  if (moved) {
    lines.push_back(line(oldKey, event("d", object(change.oldKey), "null", source)));
    lines.push_back(line(oldKey, "null"));
  }
  const bool update = change.kind == DecodedChange::Kind::Update && !moved;
  lines.push_back(line(newKey, event(update ? "u" : "c", "null", after, source)));
}

std::vector<std::string> LogicalStream::read(std::uint64_t changes) {
  const postgres::Result rows = m_connection.exec(
      "SELECT lsn::text, xid::text, data FROM pg_logical_slot_peek_changes($1, NULL, $2::int, 'include-xids', '1', "
      "'skip-empty-xacts', '1')",
      {m_slot, std::to_string(changes)});
  std::vector<std::string> lines;
  Transaction transaction;
  m_readCommit = m_lastCommit;
  m_readEnd.clear();
  for (std::size_t row = 0; row < rows.rows.size(); ++row) {
    const std::string& data = rows.text(row, 2);
    const std::int64_t lsn = parseLsn(rows.text(row, 0));
    if (data.starts_with("BEGIN")) {
      transaction = {rows.text(row, 1), m_readCommit};
    } else if (data.starts_with("COMMIT") || data.starts_with("PREPARE")) {
      m_readCommit = lsn;
      m_readEnd = rows.text(row, 0);
    } else if (data.starts_with("table ")) {
      addChange(data, lsn, transaction, lines);
    }
  }
  return lines;
}

void LogicalStream::confirm() {
  if (m_readEnd.empty()) return;
  m_connection.exec("SELECT pg_replication_slot_advance($1, $2::pg_lsn)", {m_slot, m_readEnd});
  m_lastCommit = m_readCommit;
  m_readEnd.clear();
}

std::vector<std::string> LogicalStream::readAll() {
  std::vector<std::string> all;
  for (;;) {
    const std::vector<std::string> some = read();
    if (m_readEnd.empty()) return all;
    all.insert(all.end(), some.begin(), some.end());
    confirm();
  }
}

}  // namespace tidemark::test
