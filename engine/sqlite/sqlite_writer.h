#pragma once

#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "engine/sqlite/sqlite_connection.h"
#include "engine/sqlite/sqlite_reader.h"

namespace tidemark::sqlite {

/// Guarded apply and the list of keys to read again.
class Applying {
 public:
  Applying(Connection& connection, Reading& reading) : m_connection(connection), m_reading(reading) {}

  ApplyResult apply(const TableMapping& mapping, std::span<const Change> batch);
  std::vector<Key> keysToRead(const TableMapping& mapping, std::size_t limit);
  void noteKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const std::string& reason);
  void clearKeysToRead(const TableMapping& mapping, std::span<const Key> keys, const Position& readAt);

 private:
  void applyOne(const TableMapping& mapping, const Change& change, ApplyResult& result);
  void note(const TableMapping& mapping, const Key& key, const std::string& reason, const Position& position);

  Connection& m_connection;
  Reading& m_reading;
};

/// Schema, table lock, stored lineage.
class Keeping {
 public:
  Keeping(Connection& connection, Reading& reading) : m_connection(connection), m_reading(reading) {}

  std::vector<std::string> schemaStatements();
  void ensureSchema();
  void lockTable(const TableMapping& mapping, const LockHolder& holder);
  void unlockTable(const TableMapping& mapping, const std::string& runId);
  std::optional<LockHolder> lockHolder(const TableMapping& mapping);
  void breakLock(const TableMapping& mapping);
  void storeLineage(const TableMapping& mapping, const Lineage& lineage);

 private:
  Connection& m_connection;
  Reading& m_reading;
};

/// Preview, commit and undo of a sweep.
class Sweeping {
 public:
  Sweeping(Connection& connection, Reading& reading) : m_connection(connection), m_reading(reading) {}

  SweepPreview preview(const TableMapping& mapping, const SweepRequest& request, KeyListReader& keys,
                       std::stop_token stop, ProgressSink& progress);
  SweepResult commit(const TableMapping& mapping, const SweepRequest& request, std::uint64_t tolerance);
  std::uint64_t beforeImages(const std::string& runId);
  std::vector<Key> beforeImageKeys(const TableMapping& mapping, const std::string& runId);
  UndoResult undo(const TableMapping& mapping, const std::string& runId);
  void forgetRun(const std::string& runId);

 private:
  struct Image {
    std::string key;
    std::string payload;
    Position boundary;
  };

  bool sweepOne(const TableMapping& mapping, const SweepRequest& request, const Key& key);
  void keepBeforeImage(const TableMapping& mapping, const SweepRequest& request, const StoredRow& row);
  /// The next page of the run's before-images, in order of their key's text; the first without `last`: a key may be
  /// the empty text.
  std::vector<Image> imagesAfter(const TableMapping& mapping, const std::string& runId,
                                 const std::optional<std::string>& last);
  bool restore(const TableMapping& mapping, const Image& image);

  Connection& m_connection;
  Reading& m_reading;
};

}  // namespace tidemark::sqlite
