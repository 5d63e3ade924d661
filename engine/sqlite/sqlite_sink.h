#pragma once

#include <filesystem>
#include <memory>

#include "engine/apply/sink.h"

namespace tidemark {

/// Opens an existing SQLite database file as a sink: write-ahead log, full synchronisation, waits for other writers.
/// The object belongs to the thread that made it, and so do its clones to the threads that make them; an application
/// object of Qt must live. Throws Error "sink.no_database", "sink.not_a_database".
std::unique_ptr<Sink> openSqliteSink(const std::filesystem::path& file);

/// The same, opened read-only: this connection cannot write, whatever it is asked.
std::unique_ptr<SinkReader> openSqliteReader(const std::filesystem::path& file);

}  // namespace tidemark
