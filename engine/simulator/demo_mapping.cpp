#include "engine/simulator/demo_mapping.h"

#include "engine/core/error.h"
#include "engine/simulator/simulated_source.h"
#include "engine/simulator/sql.h"
#include "engine/simulator/sqlite_file.h"

namespace tidemark {

TableMapping demoMapping(PositionScheme scheme) {
  if (scheme != PositionScheme::Lsn && scheme != PositionScheme::CommitLsn) {
    throw Error("simulator.scheme", "the simulator has no positions of the scheme " + std::string(schemeName(scheme)),
                {.hint = "Its log has the schemes lsn and commit-lsn."});
  }
  TableMapping mapping;
  const TableShape shape = simulatedOrdersShape();
  mapping.source = shape.name;
  mapping.sink = {"", "orders"};
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    const Column& column = shape.columns[i];
    (i == shape.key.front() ? mapping.key : mapping.payload).push_back({column.name, column.name, column.type});
  }
  mapping.scheme = scheme;
  mapping.positionColumns = {"source_lsn"};
  if (scheme == PositionScheme::CommitLsn) mapping.positionColumns = {"source_commit_lsn", "source_lsn"};
  mapping.markerColumn = "is_deleted";
  return mapping;
}

void createDemoSink(const std::filesystem::path& file, PositionScheme scheme) {
  simulator::SqliteFile sink(file, simulator::SqliteFile::Access::ReadWrite);
  sink.run("PRAGMA journal_mode = WAL");
  sink.run(simulator::sql::createDemoSink(demoMapping(scheme).positionColumns));
}

}  // namespace tidemark
