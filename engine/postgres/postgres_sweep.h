#pragma once

#include <stop_token>
#include <string>

#include "engine/apply/sink.h"
#include "engine/postgres/connection.h"

namespace tidemark::postgres {

/// The sweep of one session. Every function is one transaction. The connection must outlive it.
class PostgresSweep {
 public:
  explicit PostgresSweep(Connection& connection) : m_connection(connection) {}

  SweepPreview preview(const TableMapping& mapping, const SweepRequest& request, KeyListReader& keys,
                       std::stop_token stop, ProgressSink& progress);
  std::string statement(const TableMapping& mapping, const SweepRequest& request) const;
  SweepResult commit(const TableMapping& mapping, const SweepRequest& request, std::uint64_t tolerance);
  std::uint64_t beforeImages(const std::string& runId);
  std::vector<Key> beforeImageKeys(const TableMapping& mapping, const std::string& runId);
  UndoResult undo(const TableMapping& mapping, const std::string& runId);
  void forget(const std::string& runId);

 private:
  std::vector<Key> imageKeys(const TableMapping& mapping, const std::string& runId);
  Connection& m_connection;
};

}  // namespace tidemark::postgres
