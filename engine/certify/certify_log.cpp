#include "engine/certify/certify_log.h"

#include <algorithm>
#include <map>

#include <QByteArray>
#include <QCryptographicHash>

namespace tidemark::certify_log {

namespace {

CertifyEvent event(std::int64_t id, std::optional<std::string> value, std::int64_t position, std::int64_t timestamp) {
  const bool deleted = !value.has_value();
  return {0, id, deleted, std::move(value), position, timestamp};
}

constexpr std::int64_t kNoRead = -1;  ///< An incremental read: it has no position.

/// A small generator whose whole state is 32 bits: the figures of the suite hang on this very sequence.
class Mulberry {
 public:
  explicit Mulberry(std::uint32_t seed) : m_state(seed) {}
  /// In [0, 1).
  double next() {
    m_state += 0x6d2b79f5U;
    std::uint32_t t = (m_state ^ (m_state >> 15)) * (1U | m_state);
    t = (t + (t ^ (t >> 7)) * (61U | t)) ^ t;
    return static_cast<double>(t ^ (t >> 14)) / 4294967296.0;
  }
  std::int64_t below(std::int64_t limit) { return static_cast<std::int64_t>(next() * static_cast<double>(limit)); }

 private:
  std::uint32_t m_state;
};

std::string md5(const std::string& text) {
  const QByteArray bytes(text.data(), static_cast<qsizetype>(text.size()));
  return QCryptographicHash::hash(bytes, QCryptographicHash::Md5).toHex().toStdString();
}

Delivery generate(Mulberry& random) {
  std::map<std::int64_t, bool> live;
  Delivery log;
  std::int64_t position = 100;
  std::int64_t timestamp = 1000;
  const std::int64_t steps = 3 + random.below(10);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t id = 1 + random.below(3);
    const bool deleted = live[id] && random.next() >= 0.75;
    live[id] = !deleted;
    position += 1 + random.below(3);
    timestamp += random.next() < 0.5 ? 0 : 1;
    std::optional<std::string> value;
    if (!deleted) value = "v" + std::to_string(step);
    log.push_back(event(id, std::move(value), position, timestamp));
  }
  return log;
}

Delivery deliver(const Delivery& log, Mulberry& random) {
  Delivery all = log;
  for (const CertifyEvent& again : log) {
    if (random.next() < 0.3) all.push_back(again);
  }
  for (std::size_t i = all.size() - 1; i > 0; --i) {
    std::swap(all[i], all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
  }
  return all;
}

}  // namespace

const Delivery& tenEvents() {
  static const Delivery events{
      event(3, "c@x.io", 90, 990),           //
      event(1, "a@x.io", 100, 1000),         //
      event(2, "b@x.io", 110, 1001),         //
      event(1, "a2@x.io", 120, 1002),        //
      event(1, "a2@x.io", 120, 1002),        // the same change, delivered again
      event(1, "a3@x.io", 130, 1002),        // in the same millisecond as the one before
      event(2, std::nullopt, 140, 1003),     //
      event(2, "b2@x.io", 115, 1001),        // late: older than the delete
      event(4, "d@x.io", kNoRead, 1030),     //
      event(1, "a-old@x.io", kNoRead, 1001)  // read before the updates, delivered after them
  };
  return events;
}

const std::vector<CertifyRow>& expectedState() {
  static const std::vector<CertifyRow> rows{{0, 1, "a3@x.io", false, 130},
                                            {0, 2, std::nullopt, true, 140},
                                            {0, 3, "c@x.io", false, 90},
                                            {0, 4, "d@x.io", false, -1}};
  return rows;
}

Delivery inLogOrder() {
  Delivery ordered = tenEvents();
  std::ranges::stable_sort(ordered, {}, &CertifyEvent::position);
  return ordered;
}

Delivery shuffled(int seed) {
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t arrival = 1; arrival <= tenEvents().size(); ++arrival) {
    for (int copy = 1; copy <= 2; ++copy) {
      order.emplace_back(md5(std::to_string(arrival) + ":" + std::to_string(copy) + ":" + std::to_string(seed)),
                         arrival - 1);
    }
  }
  std::ranges::sort(order);
  Delivery delivery;
  for (const auto& [hash, index] : order) delivery.push_back(tenEvents()[index]);
  return delivery;
}

Delivery lateUpdateAfterDelete() {
  return {tenEvents()[6], tenEvents()[7]};
}

std::vector<Delivery> everyOrder() {
  Delivery changes;
  for (const CertifyEvent& candidate : tenEvents()) {
    const bool known = std::ranges::find(changes, candidate) != changes.end();
    if (candidate.position != kNoRead && !known) changes.push_back(candidate);
  }
  std::ranges::sort(changes, {}, &CertifyEvent::position);
  std::vector<Delivery> orders;
  do {
    orders.push_back(changes);
  } while (std::ranges::next_permutation(changes, {}, &CertifyEvent::position).found);
  return orders;
}

RandomLog randomLog(std::uint32_t seed) {
  Mulberry random(seed);
  RandomLog result;
  result.seed = seed;
  result.log = generate(random);
  result.delivered = deliver(result.log, random);
  return result;
}

std::vector<std::pair<std::int64_t, std::string>> visibleAfter(const Delivery& log) {
  std::map<std::int64_t, const CertifyEvent*> newest;
  for (const CertifyEvent& change : log) {
    const CertifyEvent*& known = newest[change.id];
    if (known == nullptr || known->position < change.position) known = &change;
  }
  std::vector<std::pair<std::int64_t, std::string>> visible;
  for (const auto& [id, change] : newest) {
    if (!change->deleted) visible.emplace_back(id, change->value.value_or(""));
  }
  return visible;
}

}  // namespace tidemark::certify_log
