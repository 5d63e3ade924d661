#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/model/model_rules.h"
#include "tests/model/model_state.h"

namespace tidemark::model {

struct Operation {
  Byte key = 0;
  Byte value = kNoRow;  ///< kNoRow: a delete.
};

/// A transaction's changes in order. When they happen is what the explorer varies.
struct Transaction {
  std::vector<Operation> operations;
};

enum class LoadWay {
  None,      ///< No run at all: guard and stream alone.
  Sql,       ///< Tidemark reads: load and key list in one snapshot.
  Blocking,  ///< The connector reads on request; the key list is a pass of its own.
};

/// What happens, without the order in which it happens. Optional events have a budget.
struct Configuration {
  std::string name;
  Rules rules;
  std::vector<Transaction> transactions;
  std::array<Byte, kKeys> row{};      ///< Source rows at the beginning.
  std::array<SinkRow, kKeys> sink{};  ///< Sink rows at the beginning, at positions below `firstLsn`.
  Byte firstLsn = 4;
  bool visibleLater = false;  ///< Commits can be streamed before readers see them.
  bool rowLocks = true;       ///< False: a deferrable key, whose changes can commit in another order than they happen.
  bool freshSlot = false;     ///< The slot is created (with the initial read) at any moment; else it was there before.
  Byte rollBacks = 0;
  Byte resets = 0;    ///< Offset resets, with or without a read of snapshot.mode=always.
  Byte blocking = 0;  ///< Blocking reads of somebody else, and those of `resets`, as far as there is room for them.
  Byte windows = 0;   ///< Incremental chunks.
  Byte losses = 0;    ///< Transactions that never reach the topic, before a run begins.
  Byte rewinds = 0;   ///< Of the consumer.
  Byte strays = 0;    ///< Single changes or reads that arrive once more, out of turn.
  LoadWay way = LoadWay::None;
  Byte runs = 1;
  Byte segments = 1;
  std::array<Byte, kKeys> segmentOf{};
};

State initialState(const Configuration& configuration);

}  // namespace tidemark::model
