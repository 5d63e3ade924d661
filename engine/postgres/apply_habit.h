#pragma once

#include <cstdint>

#include "engine/apply/apply_counts.h"

namespace tidemark::postgres {

/// What the next batch of a table will probably be, by the ones before it. It decides by which statement a batch is
/// tried first, never what becomes of it: a wrong guess costs time alone.
class ApplyHabit {
 public:
  /// Nothing stored yet: rows may go straight into the table, where its unique index refuses those that are.
  bool expectsNewKeys() const { return m_kind == Kind::NewKeys; }
  /// Look before writing: a guarded skip locks the row and writes to the log.
  bool expectsStale() const { return m_kind == Kind::Stale; }
  /// Stored and older: a plain update spares the attempt to insert.
  bool expectsUpdates() const { return m_kind == Kind::Updates; }

  /// Takes in what became of a committed batch.
  void learn(const ApplyCounts& counts);
  /// A row that was expected to be new was stored. The batch was rolled back, which is dear: the next try waits for
  /// more batches of new keys, twice as many each time.
  void metStoredRow();

 private:
  enum class Kind { Mixed, NewKeys, Updates, Stale };

  Kind m_kind = Kind::Mixed;
  std::uint32_t m_newBatches = 0;     ///< In a row.
  std::uint32_t m_batchesWanted = 1;  ///< Of new keys alone, before the next is expected to be one.
};

}  // namespace tidemark::postgres
