#include "engine/postgres/postgres_inspect_columns.h"

#include <algorithm>
#include <set>

#include "engine/postgres/postgres_sql.h"

namespace tidemark::postgres {

namespace {

/// Collects what is wrong with some columns into one finding.
class ColumnFinding {
 public:
  ColumnFinding(std::string id, std::string title) {
    m_finding.id = std::move(id);
    m_finding.title = std::move(title);
    m_finding.severity = Severity::Pass;
    m_finding.source = "pg_attribute";
  }
  void fail(const std::string& text, const std::string& hint) { add(Severity::Failure, text, hint); }
  void warn(const std::string& text, const std::string& hint) { add(Severity::Warning, text, hint); }
  Finding take(const std::string& whenPassed) {
    if (m_finding.severity == Severity::Pass) m_finding.measured = whenPassed;
    m_finding.waivable = m_finding.severity == Severity::Warning;
    return std::move(m_finding);
  }

 private:
  void add(Severity severity, const std::string& text, const std::string& hint) {
    m_finding.measured += (m_finding.measured.empty() ? "" : "; ") + text;
    if (m_finding.severity == Severity::Failure) return;
    m_finding.severity = severity;
    m_finding.hint = hint;
  }
  Finding m_finding;
};

/// The base type that a kind's column has in the catalogue; varchar counts as text.
std::string baseOf(ColumnKind kind) {
  if (kind == ColumnKind::Timestamp) return "timestamp without time zone";
  if (kind == ColumnKind::TimestampTz) return "timestamp with time zone";
  return std::string(castType(kind));
}

void checkType(const ColumnPair& pair, const SinkColumn& column, ColumnFinding& types) {
  const bool text = pair.type.kind == ColumnKind::Text;
  const std::string base = text && column.base == "character varying" ? "text" : column.base;
  if (base != baseOf(pair.type.kind)) {
    types.fail(column.name + " is " + column.declared + ", the source's is " + pair.type.declared,
               "Give the column the source's type.");
    return;
  }
  // A column without length or scale takes everything; one with its own must be the source's.
  if (column.declared.find('(') == std::string::npos || column.declared == pair.type.declared) return;
  if (pair.type.kind == ColumnKind::Numeric && pair.type.scale) {
    const std::size_t comma = column.declared.find(',');
    const std::string scale =
        comma == std::string::npos ? "0" : column.declared.substr(comma + 1, column.declared.find(')') - comma - 1);
    if (scale == std::to_string(*pair.type.scale)) return;
  }
  const std::string difference = column.name + " is " + column.declared + ", the source's is " + pair.type.declared;
  if (text) {
    types.warn(difference, "A longer value would stop the run: use text, or the source's length.");
  } else {
    types.fail(difference, "Values would be rounded: give the column the source's type.");
  }
}

Finding inspectTypes(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding types("sink.types", "Columns have the source's types");
  std::size_t count = 0;
  for (const auto* part : {&mapping.key, &mapping.payload}) {
    for (const ColumnPair& pair : *part) {
      ++count;
      const SinkColumn* column = columns.find(pair.sink);
      if (column != nullptr) checkType(pair, *column, types);
    }
  }
  return types.take(std::to_string(count) + " columns");
}

Finding inspectPresence(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding presence("sink.columns", "Every mapped column is there");
  for (const auto* part : {&mapping.key, &mapping.payload}) {
    for (const ColumnPair& pair : *part) {
      if (columns.find(pair.sink) != nullptr) continue;
      presence.fail("no column " + pair.sink, "Add the column, or take it out of the mapping.");
    }
  }
  return presence.take("all there");
}

Finding inspectKeyOrder(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding order("sink.key_order", "The key compares as the source's");
  for (const ColumnPair& pair : mapping.key) {
    const ColumnKind kind = pair.type.kind;
    if (kind == ColumnKind::Numeric || kind == ColumnKind::Json || kind == ColumnKind::Jsonb) {
      order.fail(pair.sink + " is " + std::string(kindName(kind)),
                 "One value can be written in several ways (1.0 and 1.00): a key needs another type.");
    }
    const SinkColumn* column = columns.find(pair.sink);
    if (column == nullptr || column->deterministic) continue;
    order.fail(pair.sink + " has a nondeterministic collation",
               "Two keys that differ at the source would be one here: use a deterministic collation.");
  }
  return order.take("exact");
}

Finding inspectPosition(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding position("sink.position", "The position is kept in bigint columns that are never NULL");
  std::string names;
  for (const PositionColumn& wanted : positionColumnsOf(mapping)) {
    const SinkColumn* column = columns.find(wanted.name);
    names += (names.empty() ? "" : ", ") + wanted.name;
    if (column == nullptr) {
      position.fail("no column " + wanted.name, "ALTER TABLE … ADD COLUMN … bigint NOT NULL DEFAULT -1.");
    } else if (column->base != "bigint") {
      position.fail(wanted.name + " is " + column->declared,
                    "Positions compare as numbers: text would put 9 above 10. Make the column bigint.");
    } else if (!column->notNull) {
      position.fail(wanted.name + " accepts NULL",
                    "A NULL position never loses and never wins: fill it with -1 and set it NOT NULL.");
    }
  }
  return position.take(names);
}

Finding inspectMarker(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding marker("sink.marker", "The delete marker is a boolean that is never NULL");
  const SinkColumn* column = columns.find(mapping.markerColumn);
  if (column == nullptr) {
    marker.fail("no column " + mapping.markerColumn, "ALTER TABLE … ADD COLUMN … boolean NOT NULL DEFAULT false.");
  } else if (column->base != "boolean") {
    marker.fail(column->name + " is " + column->declared, "Make the column boolean; true means deleted.");
  } else if (!column->notNull) {
    marker.fail(column->name + " accepts NULL", "Fill it with false and set it NOT NULL.");
  }
  return marker.take(mapping.markerColumn);
}

Finding inspectPayload(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding payload("sink.payload_null", "The payload accepts NULL, or has a filler");
  for (const ColumnPair& pair : mapping.payload) {
    const SinkColumn* column = columns.find(pair.sink);
    if (column == nullptr || !column->notNull || mapping.fillers.contains(pair.sink)) continue;
    payload.fail(pair.sink + " refuses NULL",
                 "A marker for a key that was never seen has no payload: drop NOT NULL, or name a filler in the "
                 "profile.");
  }
  return payload.take(std::to_string(mapping.payload.size()) + " columns, " + std::to_string(mapping.fillers.size()) +
                      " with a filler");
}

std::set<std::string> mappedNames(const TableMapping& mapping) {
  std::set<std::string> names{mapping.markerColumn};
  for (const auto* part : {&mapping.key, &mapping.payload}) {
    for (const ColumnPair& pair : *part) names.insert(pair.sink);
  }
  for (const PositionColumn& column : positionColumnsOf(mapping)) names.insert(column.name);
  return names;
}

Finding inspectOthers(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding others("sink.unmapped_columns", "Columns outside the mapping fill themselves");
  const std::set<std::string> mapped = mappedNames(mapping);
  std::size_t count = 0;
  for (const SinkColumn& column : columns.all()) {
    if (mapped.contains(column.name)) continue;
    ++count;
    if (column.notNull && !column.hasDefault && !column.generated) {
      others.fail(column.name + " is NOT NULL without a default",
                  "Every insert would be refused: give it a default, drop NOT NULL, or map it.");
    }
  }
  return others.take(std::to_string(count) + " columns outside the mapping");
}

Finding inspectGenerated(const TableMapping& mapping, const SinkColumns& columns) {
  ColumnFinding generated("sink.generated_columns", "Mapped columns take values");
  for (const std::string& name : mappedNames(mapping)) {
    const SinkColumn* column = columns.find(name);
    if (column == nullptr || !column->generated) continue;
    generated.fail(name + " is generated by the sink", "Make it a plain column, or take it out of the mapping.");
  }
  return generated.take("none generated");
}

}  // namespace

SinkColumns::SinkColumns(const Result& columns) {
  for (std::size_t i = 0; i < columns.rows.size(); ++i) {
    m_columns.push_back({columns.text(i, 0), columns.text(i, 1), columns.text(i, 2), columns.truth(i, 3),
                         columns.truth(i, 4), columns.truth(i, 5), columns.truth(i, 6)});
  }
}

const SinkColumn* SinkColumns::find(const std::string& name) const {
  const auto at = std::find_if(m_columns.begin(), m_columns.end(),
                               [&name](const SinkColumn& column) { return column.name == name; });
  return at == m_columns.end() ? nullptr : &*at;
}

std::vector<Finding> inspectColumns(const TableMapping& mapping, const SinkColumns& columns) {
  return {inspectPresence(mapping, columns), inspectKeyOrder(mapping, columns), inspectTypes(mapping, columns),
          inspectPosition(mapping, columns), inspectMarker(mapping, columns),   inspectPayload(mapping, columns),
          inspectOthers(mapping, columns),   inspectGenerated(mapping, columns)};
}

}  // namespace tidemark::postgres
