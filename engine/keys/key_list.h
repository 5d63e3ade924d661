#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/core/cell.h"

namespace tidemark {

/// Keys in key order, one at a time.
class KeyListReader {
 public:
  virtual ~KeyListReader() = default;
  virtual bool next(Key& key) = 0;
};

/// What the journal keeps of a key list.
struct KeyListSummary {
  std::uint64_t count = 0;
  std::string digest;  ///< SHA-256 of the file's bytes, lower-case hex.
  friend bool operator==(const KeyListSummary&, const KeyListSummary&) = default;
};

/// A key list up to some key: its first `bytes` bytes hold `summary.count` keys and have `summary.digest`.
struct KeyListCheckpoint {
  KeyListSummary summary;
  std::uint64_t bytes = 0;
  Key last;
  friend bool operator==(const KeyListCheckpoint&, const KeyListCheckpoint&) = default;
};

/// Writes a sorted key list to a spool file: one key a line, parts separated by tabs, escaped as in PostgreSQL's COPY
/// text format. While it is written it is called FILE.part; close() syncs it and renames it into place. Throws Error
/// "keys.disk".
class KeyListWriter {
 public:
  explicit KeyListWriter(std::filesystem::path file);
  ~KeyListWriter();
  KeyListWriter(const KeyListWriter&) = delete;
  KeyListWriter& operator=(const KeyListWriter&) = delete;

  /// Goes on with a file that a crash left: cuts it to `checkpoint` (what a journal recorded) and appends after it.
  static std::unique_ptr<KeyListWriter> reopen(std::filesystem::path file, const KeyListCheckpoint& checkpoint);

  void add(const Key& key);
  /// Syncs what was added so far and returns where it ends: what the journal keeps, so that an interrupted segment
  /// can be closed at its last committed batch.
  KeyListCheckpoint checkpoint();
  KeyListSummary close();

 private:
  struct State;
  explicit KeyListWriter(std::unique_ptr<State> state);

  std::unique_ptr<State> m_state;
};

/// Opens a spool file and checks count and digest against `expected` while it is read: the last next() throws Error
/// "keys.list_differs" when the file is not the one that the journal describes.
std::unique_ptr<KeyListReader> openKeyList(const std::filesystem::path& file, const KeyListSummary& expected);

}  // namespace tidemark
