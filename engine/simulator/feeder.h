#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/apply/sink.h"
#include "engine/event/event.h"
#include "engine/simulator/connector.h"

namespace tidemark {

/// Keeps a sink streaming: takes what the connector sends, decodes it, applies it through the guard, and commits the
/// connector's offset only after the sink's transaction, so that everything arrives at least once. One thread.
class Feeder {
 public:
  Feeder(SimulatedConnector connector, Sink& sink, TableMapping mapping);

  /// One batch; false when there was nothing to take. Throws Error of the sink or the decoder, and then takes the
  /// same batch again next time.
  bool step();
  /// Takes everything that was committed before the call.
  void drain();
  /// Streams until `stop` is requested. Waits and tries again while the sink is busy; throws every other Error.
  void run(std::stop_token stop);

  /// Called after each batch with the commitEnd up to which the sink has everything, on the feeder's thread.
  void onApplied(std::function<void(std::int64_t commitEnd)> told) { m_onApplied = std::move(told); }
  SimulatedConnector& connector() { return m_connector; }
  const ApplyCounts& counts() const { return m_counts; }

 private:
  SimulatedConnector m_connector;
  Sink& m_sink;
  TableMapping m_mapping;
  EventDecoder m_decoder;
  ApplyCounts m_counts;
  std::function<void(std::int64_t)> m_onApplied;
};

}  // namespace tidemark
