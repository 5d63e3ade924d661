#include <algorithm>
#include <cctype>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/sqlite/sqlite_catalog.h"
#include "engine/sqlite/sqlite_reader.h"
#include "engine/sqlite/sqlite_sql.h"
#include "engine/sqlite/sqlite_types.h"

namespace tidemark::sqlite {

namespace {

constexpr std::string_view kTriggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?";
constexpr std::string_view kForeignKeys = "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?)";
constexpr std::string_view kReferencedBy =
    "SELECT DISTINCT m.name FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f "
    "WHERE m.type = 'table' AND f.\"table\" = ?";

/// Room that a load needs at the very least, whatever its size: the write-ahead log alone grows to this.
constexpr std::uintmax_t kLeastRoom = 64 * 1024 * 1024;

using Columns = std::vector<CatalogColumn>;

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text.empty() ? "none" : text;
}

const CatalogColumn* find(const Columns& columns, std::string_view name) {
  const auto found = std::ranges::find_if(columns, [&](const CatalogColumn& c) { return sameName(c.name, name); });
  return found == columns.end() ? nullptr : &*found;
}

/// A requirement of the guard: passed when `problems` is empty, never to be waived.
Finding requirement(std::string id, std::string title, std::vector<std::string> problems, std::string good,
                    std::string hint) {
  Finding finding;
  finding.id = std::move(id);
  finding.title = std::move(title);
  finding.severity = problems.empty() ? Severity::Pass : Severity::Failure;
  finding.measured = problems.empty() ? std::move(good) : list(problems);
  finding.source = "sqlite_master, table_xinfo";
  if (!problems.empty()) finding.hint = std::move(hint);
  return finding;
}

/// Something that may surprise: a warning that a second person may waive.
Finding surprise(std::string id, std::string title, const std::vector<std::string>& found, std::string hint) {
  Finding finding;
  finding.id = std::move(id);
  finding.title = std::move(title);
  finding.severity = found.empty() ? Severity::Pass : Severity::Warning;
  finding.measured = list(found);
  finding.source = "sqlite_master";
  finding.waivable = !found.empty();
  if (!found.empty()) finding.hint = std::move(hint);
  return finding;
}

Finding columnsPresent(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::string> missing;
  const auto want = [&](const std::string& name) {
    if (find(columns, name) == nullptr) missing.push_back(name);
  };
  for (const ColumnPair& pair : mapping.key) want(pair.sink);
  for (const ColumnPair& pair : mapping.payload) want(pair.sink);
  return requirement("sink.columns", "Every mapped column is there", missing, "all there",
                     "Add the columns, or take them out of the mapping.");
}

Finding primaryKey(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::pair<int, std::string>> places;
  for (const CatalogColumn& column : columns) {
    if (column.keyPlace > 0) places.emplace_back(column.keyPlace, column.name);
  }
  std::ranges::sort(places);
  std::vector<std::string> actual, wanted;
  for (const auto& [place, name] : places) actual.push_back(name);
  for (const ColumnPair& pair : mapping.key) wanted.push_back(pair.sink);
  std::vector<std::string> problems;
  if (!std::ranges::equal(actual, wanted, sameName)) problems.push_back(list(actual));
  Finding finding = requirement("sink.primary_key", "Primary key equals the source's", problems, list(actual),
                                "The guard finds a row by its key: make the sink's primary key " + list(wanted) + ".");
  finding.limit = list(wanted);
  return finding;
}

/// In SQLite a primary key may hold NULL unless it is the rowid, or the table has none.
Finding keyNotNull(Connection& connection, const TableMapping& mapping, const Columns& columns) {
  std::string create = createStatementOf(connection, mapping.sink);
  std::ranges::transform(create, create.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool withoutRowid = create.find("WITHOUT ROWID") != std::string::npos;
  std::vector<std::string> problems;
  for (const ColumnPair& pair : mapping.key) {
    const CatalogColumn* column = find(columns, pair.sink);
    if (column == nullptr || column->notNull || withoutRowid) continue;
    const bool isRowid = mapping.key.size() == 1 && sameName(column->declared, "INTEGER");
    if (!isRowid) problems.push_back(column->name + " accepts NULL");
  }
  return requirement("sink.key_not_null", "Key columns are NOT NULL", problems, "all NOT NULL",
                     "A NULL key never conflicts, so each delivery would add a row. Declare the key NOT NULL.");
}

Finding keyOrder(Connection& connection, const TableMapping& mapping) {
  std::vector<std::string> problems;
  for (const ColumnPair& pair : mapping.key) {
    const ColumnKind kind = pair.type.kind;
    if (kind == ColumnKind::Numeric || kind == ColumnKind::Json || kind == ColumnKind::Jsonb) {
      problems.push_back(pair.sink + " is " + std::string(kindName(kind)));
    }
  }
  for (const CatalogIndex& index : indexesOf(connection, mapping.sink)) {
    if (!index.ofPrimaryKey) continue;
    for (std::size_t i = 0; i < index.collations.size(); ++i) {
      if (!sameName(index.collations[i], "BINARY")) {
        problems.push_back(index.columns[i] + " is collated " + index.collations[i]);
      }
    }
  }
  return requirement("sink.key_order", "Key compares as the source's", problems, "integers by value, text bytewise",
                     "Two keys that differ at the source would be one here, or ranges would not match: declare the "
                     "key columns with an ordered type and the BINARY collation.");
}

Finding positionColumnsFit(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::string> problems;
  const std::vector<PositionColumn> positions = positionColumnsOf(mapping);
  const auto wanted =
      static_cast<std::size_t>(positionColumns(mapping.scheme)) + (mapping.ordinalColumn.empty() ? 0 : 1);
  if (positions.size() < wanted) {
    problems.push_back("the scheme " + std::string(schemeName(mapping.scheme)) + " needs " + std::to_string(wanted));
  }
  for (const PositionColumn& position : positions) {
    const CatalogColumn* column = find(columns, position.name);
    if (column == nullptr) {
      problems.push_back(position.name + " is missing");
      continue;
    }
    if (affinityOf(column->declared) != Affinity::Integer) {
      problems.push_back(column->name + " is stored as " + (column->declared.empty() ? "(none)" : column->declared));
    }
    if (!column->notNull) problems.push_back(column->name + " accepts NULL");
  }
  return requirement("sink.position", "Position columns are BIGINT NOT NULL", problems, "BIGINT NOT NULL",
                     "A NULL position never loses and never wins, and a text one compares by letters: declare "
                     "BIGINT NOT NULL.");
}

Finding markerFits(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::string> problems;
  const CatalogColumn* column = find(columns, mapping.markerColumn);
  if (column == nullptr) {
    problems.push_back((mapping.markerColumn.empty() ? "the marker column" : mapping.markerColumn) + " is missing");
  } else {
    const std::optional<ColumnType> type = columnType(column->declared);
    const bool fits = type && (type->kind == ColumnKind::Boolean || affinityOf(column->declared) == Affinity::Integer);
    if (!fits) problems.push_back(column->name + " is " + column->declared);
    if (!column->notNull) problems.push_back(column->name + " accepts NULL");
  }
  return requirement("sink.marker", "Delete marker is BOOLEAN NOT NULL", problems, "BOOLEAN NOT NULL",
                     "A delete is kept as a marker, or an older change would bring the row back: add a column "
                     "BOOLEAN NOT NULL DEFAULT 0.");
}

Finding payloadAcceptsNull(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::string> problems;
  for (const ColumnPair& pair : mapping.payload) {
    const CatalogColumn* column = find(columns, pair.sink);
    if (column != nullptr && column->notNull && !mapping.fillers.contains(pair.sink)) problems.push_back(pair.sink);
  }
  return requirement("sink.payload_null", "Payload accepts NULL or has a filler", problems, "every column",
                     "A marker for a key never seen has no payload: drop NOT NULL, or give a filler in the profile.");
}

Finding unmappedColumns(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::string> mapped;
  for (const ColumnPair& pair : mapping.key) mapped.push_back(pair.sink);
  for (const ColumnPair& pair : mapping.payload) mapped.push_back(pair.sink);
  for (const PositionColumn& position : positionColumnsOf(mapping)) mapped.push_back(position.name);
  mapped.push_back(mapping.markerColumn);
  std::vector<std::string> problems;
  for (const CatalogColumn& column : columns) {
    const bool isMapped = std::ranges::any_of(mapped, [&](const std::string& n) { return sameName(n, column.name); });
    if (!isMapped && column.notNull && !column.hasDefault && !column.generated) problems.push_back(column.name);
  }
  return requirement("sink.unmapped_columns", "Other columns have a default", problems, "nothing in the way",
                     "These columns are NOT NULL, have no default and are not mapped, so no row can be inserted.");
}

Finding typesFit(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::string> problems;
  const auto check = [&](const ColumnPair& pair) {
    const CatalogColumn* column = find(columns, pair.sink);
    if (column == nullptr) return;
    const std::optional<ColumnType> type = columnType(column->declared);
    if (type && canHold(pair.type.kind, *type)) return;
    problems.push_back(column->name + " is " + (column->declared.empty() ? "(none)" : column->declared) +
                       ", declare it as " + declaredType(pair.type.kind));
  };
  std::ranges::for_each(mapping.key, check);
  std::ranges::for_each(mapping.payload, check);
  return requirement("sink.types", "Column types keep every value exactly", problems, "all exact",
                     "SQLite keeps what looks like a number as floating point in a column whose declared type does "
                     "not say TEXT: declare the columns as shown.");
}

Finding generatedColumns(const TableMapping& mapping, const Columns& columns) {
  std::vector<std::string> problems;
  const auto check = [&](const ColumnPair& pair) {
    const CatalogColumn* column = find(columns, pair.sink);
    if (column != nullptr && column->generated) problems.push_back(column->name);
  };
  std::ranges::for_each(mapping.key, check);
  std::ranges::for_each(mapping.payload, check);
  return requirement("sink.generated_columns", "No mapped column is generated", problems, "none",
                     "A generated column cannot be written: take it out of the mapping.");
}

std::vector<std::string> otherUniqueIndexes(Connection& connection, const TableMapping& mapping) {
  std::vector<std::string> names;
  for (const CatalogIndex& index : indexesOf(connection, mapping.sink)) {
    if (index.unique && !index.ofPrimaryKey) names.push_back(index.name + " (" + list(index.columns) + ")");
  }
  return names;
}

std::vector<std::string> foreignKeys(Connection& connection, const TableName& table) {
  std::vector<std::string> found;
  for (const std::string& name : namesFrom(connection, std::string(kForeignKeys), table)) {
    found.push_back("refers to " + name);
  }
  for (const std::string& name : namesFrom(connection, std::string(kReferencedBy), table)) {
    found.push_back("referred to by " + name);
  }
  return found;
}

Finding writable(const std::filesystem::path& file, bool readOnly) {
  Finding finding;
  finding.id = "sink.writable";
  finding.title = "The sink may be written to";
  finding.source = "access(2)";
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::vector<std::string> problems;
  // The folder too: write-ahead log and shared memory are files beside the database.
  if (::access(file.c_str(), W_OK) != 0) problems.push_back(file.string() + " is read-only");
  if (::access(folder.c_str(), W_OK) != 0) problems.push_back(folder.string() + " is read-only");
  finding.severity = problems.empty() ? Severity::Pass : readOnly ? Severity::Warning : Severity::Failure;
  finding.measured = problems.empty() ? "file and folder" : list(problems);
  if (readOnly) finding.measured += "; opened read-only here";
  if (!problems.empty()) finding.hint = "Give the user that runs this program the right to write to both.";
  return finding;
}

Finding room(Connection& connection) {
  Finding finding;
  finding.id = "sink.room";
  finding.title = "Room on disk";
  finding.source = "statvfs(3)";
  std::error_code failure;
  const std::filesystem::space_info space = std::filesystem::space(connection.file(), failure);
  if (failure) {
    finding.hint = "The free room could not be measured: " + failure.message();
    return finding;
  }
  const std::uintmax_t size = std::filesystem::file_size(connection.file(), failure);
  const std::uintmax_t wanted = std::max(kLeastRoom, failure ? 0 : size);
  constexpr std::uintmax_t kMebibyte = 1024 * 1024;
  finding.measured = std::to_string(space.available / kMebibyte) + " MiB free";
  finding.limit = std::to_string(wanted / kMebibyte) + " MiB";
  finding.severity = space.available >= wanted ? Severity::Pass : Severity::Warning;
  finding.waivable = finding.severity == Severity::Warning;
  if (finding.waivable) finding.hint = "A load may double the file and its log. Free room first.";
  return finding;
}

}  // namespace

std::vector<Finding> Reading::inspect(const TableMapping& mapping, bool readOnly) {
  const Columns columns = columnsOf(m_connection, mapping.sink);
  if (columns.empty()) {
    return {requirement("sink.table", "The table is there", {"no table " + mapping.sink.display()}, {},
                        "Check the table's name in the profile, or make the table first.")};
  }
  return {
      requirement("sink.table", "The table is there", {}, mapping.sink.display(), {}),
      columnsPresent(mapping, columns),
      primaryKey(mapping, columns),
      keyNotNull(m_connection, mapping, columns),
      keyOrder(m_connection, mapping),
      positionColumnsFit(mapping, columns),
      markerFits(mapping, columns),
      payloadAcceptsNull(mapping, columns),
      unmappedColumns(mapping, columns),
      typesFit(mapping, columns),
      generatedColumns(mapping, columns),
      surprise("sink.unique_indexes", "No other unique index", otherUniqueIndexes(m_connection, mapping),
               "Rows pass through states that the source never had at once, so another unique index can refuse one."),
      surprise("sink.foreign_keys", "No foreign keys", foreignKeys(m_connection, mapping.sink),
               "Tables are loaded one after the other, and a marker stays where a row was: a foreign key can refuse "
               "a row, or keep what it should not."),
      surprise("sink.triggers", "No triggers", namesFrom(m_connection, std::string(kTriggers), mapping.sink),
               "A trigger fires on every write of the load and of the sweep, too, and may change what is stored."),
      writable(m_connection.file(), readOnly),
      room(m_connection),
  };
}

}  // namespace tidemark::sqlite
