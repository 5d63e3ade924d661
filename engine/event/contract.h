#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark {

struct JsonValue;

/// What a sink of one table relies on in its change topic.
struct ContractTerms {
  std::vector<std::string> keyColumns;       ///< Names in the message key, in key order.
  std::vector<std::string> requiredColumns;  ///< What the sink reads, key columns included. Others may come and go.
  bool tombstones = true;            ///< tombstones.on.delete: every delete is followed by a record without value.
  bool fullReplicaIdentity = false;  ///< Updates and deletes carry the whole row as it was.
  bool truncatesExpected = false;    ///< The plan says what a truncate does; otherwise one is a violation.
  bool messagesExpected = false;     ///< Likewise for logical decoding messages.
  /// Changes remembered to compare a redelivery with: bounds the memory (about 100 bytes each).
  std::size_t rememberedChanges = 1'000'000;
};

/// One breach. Codes are stable: "key", "op", "before", "after", "column", "image_key", "position", "snapshot", "time",
/// "tombstone", "redelivery", "truncate", "message", "envelope", "json".
struct ContractViolation {
  std::uint64_t record = 0;  ///< From 1, in the order of check().
  std::string code;
  std::string message;  ///< A sentence that names the field and the reason.
};

/// Holds the records of one partition of a change topic, in their order, to the envelope contract, before any of them
/// reaches a sink. Reads differ from changes: an incremental read has no lsn, and two reads at one position may differ
/// (each saw its own moment), while two changes at one position are one change delivered twice. One thread.
class ContractChecker {
 public:
  explicit ContractChecker(ContractTerms terms);

  /// Key and value are JSON texts, bare or with schema; an empty key is null. Returns what this record breaks, and what
  /// the record before it was still owed. Never throws for bad input: that is a violation.
  std::vector<ContractViolation> check(std::string_view key, std::string_view value);
  /// At the end of the stream: a delete whose tombstone never came.
  std::vector<ContractViolation> finish();

 private:
  class Findings;

  void checkEnvelope(const JsonValue& key, const JsonValue& envelope, Findings& findings);
  void checkRow(const JsonValue& key, const JsonValue& envelope, char op, Findings& findings);
  void checkImages(const JsonValue& key, const JsonValue& envelope, char op, Findings& findings) const;
  void checkColumns(const JsonValue& image, char op, Findings& findings) const;
  void checkRedelivery(const std::string& key, const JsonValue& envelope, Findings& findings);
  void checkTombstone(const std::string& key, bool isTombstone, Findings& findings);

  ContractTerms m_terms;
  std::uint64_t m_records = 0;
  bool m_afterDelete = false;  ///< The record before was a delete.
  std::string m_deletedKey;
  std::unordered_map<std::string, std::uint64_t> m_contents;  ///< Key and LSN to a hash of the change.
  std::deque<std::string> m_oldest;                           ///< Entries of m_contents, oldest first.
};

}  // namespace tidemark
