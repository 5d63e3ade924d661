#pragma once

// The exhaustive model of guard, stream, load and sweep.
//
// Modelled
//   - A source with a log. Every change and every commit takes the next log position. Row locks: a key that an open
//     transaction has changed is closed to the others until that transaction is visible to readers. A transaction may
//     be committed in the log (and so be streamed) before new snapshots see it. Transactions may roll back.
//   - A connector that streams committed transactions in commit order and carries the last commit streamed: null
//     after a fresh slot and after an offset reset, which may also deliver transactions again. Its reads: the initial
//     one (what the slot's consistent point holds), "always" after a reset, blocking ones, and incremental chunks with
//     their window in the log and the removal of keys that are streamed inside it.
//   - A topic, and a consumer that lags, applies one change after the other and may go back (delivery at least once);
//   single
//     changes that arrive once more much later, with nothing behind them (a worker that was thought dead).
//     Transactions that were lost before the run began, and a sink that has missing, stale and ghost rows.
//   - Tidemark's run: low, X, the wait, the read with its key list, the load key by key, the drained check, the preview
//     and the commit of the sweep; one or two segments, each with its own boundary; one or two runs; the load read by
//     Tidemark itself (SQL) or asked from the connector and stamped as it arrives (blocking signal). Everything
//     interleaves with everything else. Doubtful keys are read again at the end, under a boundary of that moment.
// Positions, guard, doubt and boundary are the engine's own functions (model_rules.cpp).
//
// Not modelled
//   - Crashes of the server (flush of the log, asynchronous commit), lost connections, commits in doubt: tests with a
//     real server. Left-out columns and batches: the random model applies batches through the engine's collapse.
//   - Values that depend on each other, foreign keys, several tables; changes of a key's primary key value.
//   - Losses after a run has begun: nothing can mend what is lost behind it, except the next run (modelled).
//   - Snapshots that others start between low and the sweep's commit while commits are streamed before they are
//     visible: the law voids such a run, the model leaves them out.

#include <array>
#include <cstdint>
#include <type_traits>

namespace tidemark::model {

using Byte = std::uint8_t;

inline constexpr int kKeys = 3;
inline constexpr int kTransactions = 3;
inline constexpr int kOperations = 2;               // a transaction
inline constexpr int kCommits = kTransactions + 2;  // with the two marks of an incremental window
inline constexpr int kReads = 2;                    // read items in the topic
inline constexpr int kTopicItems = 12;
inline constexpr int kSegments = 2;

inline constexpr Byte kNoRow = 0;  // as a value: the source has no such row; in the sink: a marker

inline constexpr Byte kWindowOpen = 0x0E;  // commit entries that are not transactions
inline constexpr Byte kWindowClose = 0x0F;
inline constexpr Byte kItemIsRead = 0x20;  // topic items: transaction or read slot, with flags
inline constexpr Byte kItemNullFirst = 0x10;
inline constexpr Byte kItemIndex = 0x0F;

enum class SlotState : Byte { Missing, Ready };
enum class WindowStage : Byte { None, OpenLogged, ChunkRead, CloseLogged };
enum class RunPhase : Byte {
  Idle,
  LowTaken,
  Waiting,
  Stamping,
  ReadAsked,
  Applying,
  Loaded,
  Draining,
  Previewed,
  Done
};

/// A stored row of the sink, marker included. Positions fit: a configuration has fewer than 100 log records.
struct SinkRow {
  Byte present = 0;
  std::int8_t first = 0;
  std::int8_t second = 0;
  Byte value = kNoRow;
  friend bool operator==(const SinkRow&, const SinkRow&) = default;
};

/// One read in the topic: the rows of all keys at one moment, with the sequence that the connector gave it.
struct ReadItem {
  Byte used = 0;
  Byte askedIn = 0;    // the run, from 1, that asked for it; 0 for reads of others
  Byte askedLow = 0;   // that run's low: what it asked for is stamped with its B, whenever it arrives
  Byte firstNull = 0;  // no commit was streamed yet
  Byte first = 0;
  Byte lsn = 0;
  std::array<Byte, kKeys> value{};
};

/// Everything that differs between two moments. Bytes only: hashed and compared as memory.
struct State {
  // Source.
  Byte nextLsn = 1;                        // the insert position
  std::array<Byte, kTransactions> step{};  // see Source in source.cpp
  std::array<std::array<Byte, kOperations>, kTransactions> changeLsn{};
  std::array<Byte, kKeys> row{};  // what new snapshots see
  Byte commitCount = 0;
  std::array<Byte, kCommits> commitEntry{};  // in log order
  std::array<Byte, kCommits> commitEnd{};    // where the next record starts
  Byte abortsLeft = 0;
  // Connector.
  SlotState slot = SlotState::Missing;
  Byte streamed = 0;   // commit entries processed
  Byte firstNull = 0;  // the last commit streamed is not known
  Byte resetsLeft = 0;
  Byte resetsDone = 0;
  Byte readsLeft = 0;
  Byte readsDone = 0;
  Byte lossesLeft = 0;
  WindowStage windowStage = WindowStage::None;
  Byte windowIsOpen = 0;  // the open mark was streamed
  Byte windowsLeft = 0;
  std::array<Byte, kKeys> windowRow{};
  // Topic and consumer.
  Byte topicCount = 0;
  std::array<Byte, kTopicItems> topic{};
  std::array<ReadItem, kReads> read{};
  Byte consumed = 0;        // items
  Byte consumedChange = 0;  // changes of the item at `consumed`
  Byte rewindsLeft = 0;
  Byte rewindsDone = 0;
  Byte straysLeft = 0;
  // Tidemark.
  RunPhase phase = RunPhase::Idle;
  Byte run = 0;
  Byte segment = 0;
  std::array<Byte, kSegments> low{};
  Byte waitFor = 0;                  // transactions, one bit each
  std::array<Byte, kKeys> loaded{};  // read and not yet applied
  Byte listed = 0;                   // key list, one bit a key
  Byte ghosts = 0;                   // materialised by the preview
  Byte drainedAt = 0;                // end offset to pass
  // Sink.
  std::array<SinkRow, kKeys> sink{};
  Byte doubtful = 0;
};

static_assert(std::has_unique_object_representations_v<State>);
static_assert(sizeof(State) <= 120);

inline Byte byteOf(int value) {
  return static_cast<Byte>(value);
}
inline bool hasBit(Byte mask, int bit) {
  return ((mask >> bit) & 1) != 0;
}
inline void setBit(Byte& mask, int bit) {
  mask = byteOf(mask | (1 << bit));
}
inline void clearBit(Byte& mask, int bit) {
  mask = byteOf(mask & ~(1 << bit));
}

}  // namespace tidemark::model
