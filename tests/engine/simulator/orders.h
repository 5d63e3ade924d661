#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/scope/table_mapping.h"
#include "engine/simulator/database.h"
#include "engine/simulator/session.h"
#include "engine/simulator/simulated_source.h"

namespace tidemark::test {

inline Order order(std::int64_t id, const std::string& status = "new") {
  return {id, "customer " + std::to_string(id), status, "10.50", std::nullopt, "2026-01-01 00:00:00+00"};
}

/// One transaction that inserts orders 1 to `count`.
inline void insertOrders(SimulatedDatabase& database, std::int64_t count) {
  auto session = database.connect("loader", "test");
  for (std::int64_t id = 1; id <= count; ++id) session->insert(order(id));
  session->commit();
}

inline void setStatus(SimulatedSession& session, std::int64_t id, const std::string& status) {
  session.update(id, [&](Order& row) { row.status = status; });
}

/// Key and status of every row that the stream still has: "1:new 2:paid".
inline std::string statuses(RowStream& stream) {
  std::string text;
  StoredRow row;
  while (stream.next(row)) {
    text += (text.empty() ? "" : " ") + row.key.front() + ":" + (row.inFilter ? row.payload.at(1).text : "outside");
  }
  return text;
}

}  // namespace tidemark::test
