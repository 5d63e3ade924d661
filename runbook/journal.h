#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/apply/sink.h"
#include "runbook/run_event.h"

namespace tidemark::runbook {

struct JournalEntry {
  std::int64_t sequence = 0;  ///< From 1, without gaps.
  std::string time;
  std::string kind;
  std::string payload;   ///< Canonical JSON.
  std::string previous;  ///< Hash of the entry before; 64 zeros for the first.
  std::string hash;      ///< SHA-256 over sequence, time, kind, payload and previous, each with its length.
};

/// The hash that an entry must have.
std::string entryHash(const JournalEntry& entry);

/// A run's append-only journal: one SQLite file that refuses UPDATE and DELETE by trigger, written with synchronous
/// FULL. Belongs to one thread.
class Journal {
 public:
  enum class Access { ReadOnly, Drive };

  /// Makes a new journal. Throws Error "journal.exists", "journal.disk".
  static std::unique_ptr<Journal> create(const std::filesystem::path& file, const LockHolder& holder);
  /// Opens one and verifies the whole chain. Throws Error "journal.not_found", "journal.not_a_journal",
  /// "journal.torn" (the file ends early: the entries up to a named one are sound; the hint says how to go on from a
  /// copy), "journal.chain_broken" (an entry was changed: named), and with Access::Drive "journal.locked" that names
  /// user, host, pid and since. The lock of a process that is gone on this host is taken over: see takenOver().
  static std::unique_ptr<Journal> open(const std::filesystem::path& file, Access access, const LockHolder& holder = {});

  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Appends and syncs. Throws Error "journal.disk_full" or "journal.disk"; nothing is half written then.
  const JournalEntry& append(const RunEvent& event);
  /// All entries, in order.
  const std::vector<JournalEntry>& entries() const;
  std::vector<RunEvent> events() const;
  /// Hash of the last entry.
  std::string head() const;
  /// The holder whose lock was taken over when this was opened, because its process is gone.
  std::optional<LockHolder> takenOver() const;
  /// Who drives the run at this moment, this process included; nobody when the holder's process on this machine is
  /// gone.
  std::optional<LockHolder> holder() const;
  /// Refuses to let the file grow beyond about `bytes`, as a full disk would ("journal.disk_full"); until it is closed.
  void limitSize(std::uint64_t bytes);
  /// Takes the driving lock from a holder on another host, knowingly; the caller journals it.
  static void breakLock(const std::filesystem::path& file);
  const std::filesystem::path& file() const;

 private:
  struct State;
  explicit Journal(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace tidemark::runbook
