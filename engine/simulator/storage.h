#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/simulator/sqlite_file.h"

namespace tidemark::simulator {

/// The one writing connection to a file, on a thread of its own: SQLite has one writer, and a Qt SQL connection
/// belongs to one thread, while transactions come from many. Work runs one after the other, in the order of asking.
class Storage {
 public:
  explicit Storage(std::filesystem::path file);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Runs `work` on the storage's thread and waits for it; what it throws is thrown here.
  void run(const std::function<void(SqliteFile&)>& work);

 private:
  struct Task {
    const std::function<void(SqliteFile&)>* work = nullptr;
    std::exception_ptr error;
    bool done = false;
  };

  void serve(const std::filesystem::path& file, Task& opening);
  void serveTasks(SqliteFile& connection);
  void finish(Task& task, std::exception_ptr error);

  std::mutex m_mutex;
  std::condition_variable m_asked;
  std::condition_variable m_answered;
  std::deque<Task*> m_tasks;
  bool m_ending = false;
  std::jthread m_thread;
};

}  // namespace tidemark::simulator
