#include "engine/simulator/feeder.h"

#include <condition_variable>
#include <mutex>

#include "engine/core/error.h"

namespace tidemark {

namespace {

constexpr std::size_t kMessagesPerBatch = 500;
constexpr std::chrono::milliseconds kIdleWait{500};
constexpr std::chrono::milliseconds kBusyWait{20};

void pause(std::chrono::milliseconds time, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

Feeder::Feeder(SimulatedConnector connector, Sink& sink, TableMapping mapping)
    : m_connector(std::move(connector)), m_sink(sink), m_mapping(std::move(mapping)), m_decoder(m_mapping) {}

bool Feeder::step() {
  const std::int64_t before = m_connector.polledUpTo();
  const std::vector<TopicMessage> messages = m_connector.poll(kMessagesPerBatch);
  if (m_connector.polledUpTo() == before) return false;
  try {
    std::vector<Change> batch;
    batch.reserve(messages.size());
    for (const TopicMessage& message : messages) {
      Event event = m_decoder.decode(message.key, message.value);
      if (event.change) batch.push_back(std::move(*event.change));
    }
    if (!batch.empty()) m_counts += m_sink.apply(m_mapping, batch).counts;
    m_connector.commitOffset();
  } catch (...) {
    m_connector.rewind();
    throw;
  }
  if (m_onApplied) m_onApplied(m_connector.polledUpTo());
  return true;
}

void Feeder::drain() {
  while (step()) {
  }
}

void Feeder::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    try {
      if (!step()) m_connector.wait(kIdleWait, stop);
    } catch (const Error& error) {
      if (!error.detail().retryCanHelp) throw;
      pause(kBusyWait, stop);
    }
  }
}

}  // namespace tidemark
