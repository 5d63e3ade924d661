#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/postgres/connection.h"

namespace tidemark::test {

/// A small connector: reads a logical slot of the plug-in test_decoding and says what it found as change events in
/// Debezium's envelope, one JSON line {"key": …, "value": …} each, in stream order. `source.lsn` is the change's own
/// LSN, `source.sequence` is [commit streamed last, change's LSN], null first until a commit was streamed. A delete is
/// followed by a tombstone; a changed key is a delete of the old one, a tombstone and a create of the new one. Numbers
/// and decimals are JSON numbers, dates and timestamps ISO text, bytes base64, a column that the change left out
/// (TOAST) Debezium's placeholder.
class LogicalStream {
 public:
  LogicalStream(const std::string& connection, std::string slot);

  /// Makes the slot. Waits for transactions that are open.
  static void createSlot(const std::string& connection, const std::string& slot);

  /// The next events, of whole transactions, `changes` or a few more; empty when there are none yet. The same again
  /// until confirm() was called.
  std::vector<std::string> read(std::uint64_t changes = 10000);
  /// Moves the slot behind what read() returned last.
  void confirm();
  /// read() and confirm() until nothing is left.
  std::vector<std::string> readAll();

  /// The commit streamed last, 0 before the first.
  std::int64_t lastCommit() const { return m_lastCommit.value_or(0); }
  /// Forgets it, as a connector does whose offsets were deleted: the next transaction has null first.
  void forgetLastCommit() { m_lastCommit.reset(); }

 private:
  struct Transaction;
  const std::vector<std::string>& keyOf(const std::string& schema, const std::string& table);
  void addChange(const std::string& data, std::int64_t lsn, const Transaction& transaction,
                 std::vector<std::string>& lines);

  postgres::Connection m_connection;
  std::string m_slot;
  std::optional<std::int64_t> m_lastCommit;
  std::optional<std::int64_t> m_readCommit;
  std::string m_readEnd;
  std::map<std::string, std::vector<std::string>> m_keys;
};

}  // namespace tidemark::test
