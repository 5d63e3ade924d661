#include "engine/simulator/storage.h"

namespace tidemark::simulator {

Storage::Storage(std::filesystem::path file) {
  Task opening;
  m_thread = std::jthread([this, file = std::move(file), &opening] { serve(file, opening); });
  std::unique_lock lock(m_mutex);
  m_answered.wait(lock, [&] { return opening.done; });
  if (opening.error) std::rethrow_exception(opening.error);
}

Storage::~Storage() {
  const std::scoped_lock lock(m_mutex);
  m_ending = true;
  m_asked.notify_all();
}

void Storage::run(const std::function<void(SqliteFile&)>& work) {
  Task task;
  task.work = &work;
  std::unique_lock lock(m_mutex);
  m_tasks.push_back(&task);
  m_asked.notify_all();
  m_answered.wait(lock, [&] { return task.done; });
  if (task.error) std::rethrow_exception(task.error);
}

void Storage::finish(Task& task, std::exception_ptr error) {
  const std::scoped_lock lock(m_mutex);
  task.error = std::move(error);
  task.done = true;
  m_answered.notify_all();
}

void Storage::serve(const std::filesystem::path& file, Task& opening) {
  std::optional<SqliteFile> connection;
  try {
    connection.emplace(file, SqliteFile::Access::ReadWrite);
    connection->run("PRAGMA journal_mode = WAL");
    connection->run("PRAGMA synchronous = FULL");
  } catch (...) {
    connection.reset();
    finish(opening, std::current_exception());
    return;
  }
  finish(opening, nullptr);
  serveTasks(*connection);
}

void Storage::serveTasks(SqliteFile& connection) {
  for (;;) {
    Task* task = nullptr;
    {
      std::unique_lock lock(m_mutex);
      m_asked.wait(lock, [this] { return m_ending || !m_tasks.empty(); });
      if (m_tasks.empty()) return;
      task = m_tasks.front();
      m_tasks.pop_front();
    }
    std::exception_ptr error;
    try {
      (*task->work)(connection);
    } catch (...) {
      error = std::current_exception();
    }
    finish(*task, std::move(error));
  }
}

}  // namespace tidemark::simulator
