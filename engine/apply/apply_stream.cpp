#include "engine/apply/apply_stream.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/event/json_lines.h"

namespace tidemark {

namespace {

class StreamApplication {
 public:
  StreamApplication(const EventDecoder& decoder, const TableMapping& mapping, Sink& sink, const StreamOptions& options,
                    StreamResult& result, ProgressSink& progress)
      : m_decoder(decoder),
        m_mapping(mapping),
        m_sink(sink),
        m_batchRows(std::max<std::size_t>(options.batchRows, 1)),
        m_result(result),
        m_meter(progress, "apply") {}

  void run(std::istream& input, std::stop_token stop) {
    JsonLinesReader reader(input);
    JsonLine line;
    while (readLine(reader, line)) {
      if (stop.stop_requested()) throw Cancelled();
      takeLine(line);
      ++m_result.lines;
      m_lastLine = line.number;
      if (m_batch.size() >= m_batchRows) commit();
    }
    commit();
    m_result.complete = true;
    m_meter.finish();
  }

 private:
  bool readLine(JsonLinesReader& reader, JsonLine& line) {
    try {
      return reader.next(line);
    } catch (const Error& error) {
      stopWith(error, {});
    }
  }

  void takeLine(const JsonLine& line) {
    try {
      take(m_decoder.decode(line.key, line.value));
    } catch (const Error& error) {
      stopWith(error, "line " + std::to_string(line.number) + ": ");
    }
  }

  void take(Event event) {
    if (event.operation == Operation::Tombstone) {
      ++m_result.tombstones;
    } else if (event.operation == Operation::Message) {
      ++m_result.messages;
    } else if (!ofMappedTable(event)) {
      ++m_result.otherTables[TableName{event.schema, event.table}.display()];
    } else if (event.operation == Operation::Truncate) {
      ErrorDetail detail;
      detail.hint =
          "Decide what the sink shall do: empty it by hand and go on after this line, or load the table anew with a "
          "run, which sweeps what the source no longer has.";
      throw Error("apply.truncate", "the source's table " + m_mapping.source.display() + " was truncated", detail);
    } else if (event.change) {
      m_batch.push_back(std::move(*event.change));
    }
  }

  bool ofMappedTable(const Event& event) const {
    return event.table == m_mapping.source.name &&
           (m_mapping.source.schema.empty() || event.schema == m_mapping.source.schema);
  }

  void commit() {
    if (!m_batch.empty()) {
      try {
        m_result.counts += m_sink.apply(m_mapping, m_batch).counts;
      } catch (const Error& error) {
        throwWithProgress(error, {});
      }
      m_result.changes += m_batch.size();
      ++m_result.batches;
      m_batch.clear();
    }
    m_meter.advance(m_lastLine - m_result.committedLine, "line " + std::to_string(m_lastLine));
    m_result.committedLine = m_lastLine;
  }

  /// The lines before the one that stops the stream are good: they are committed first.
  [[noreturn]] void stopWith(const Error& error, const std::string& where) {
    commit();
    throwWithProgress(error, where);
  }

  [[noreturn]] void throwWithProgress(const Error& error, const std::string& where) const {
    ErrorDetail detail = error.detail();
    if (!detail.technical.empty()) detail.technical += "\n";
    detail.technical += "committed up to line " + std::to_string(m_result.committedLine) + ": " +
                        std::to_string(m_result.changes) + " changes in " + std::to_string(m_result.batches) +
                        " transactions";
    throw Error(error.code(), where + error.what(), detail);
  }

  const EventDecoder& m_decoder;
  const TableMapping& m_mapping;
  Sink& m_sink;
  std::size_t m_batchRows;
  StreamResult& m_result;
  ProgressMeter m_meter;
  std::vector<Change> m_batch;
  std::uint64_t m_lastLine = 0;
};

}  // namespace

void applyStream(std::istream& input, const EventDecoder& decoder, const TableMapping& mapping, Sink& sink,
                 const StreamOptions& options, StreamResult& result, std::stop_token stop, ProgressSink& progress) {
  result = {};
  StreamApplication(decoder, mapping, sink, options, result, progress).run(input, std::move(stop));
}

}  // namespace tidemark
