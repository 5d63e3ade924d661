#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/certify/certify.h"

/// The deliveries of the convergence suite: pure functions, the same on every machine. Events are in world 0.
namespace tidemark::certify_log {

using Delivery = std::vector<CertifyEvent>;

/// Ten events of four keys in order of arrival: a redelivery, two updates in one millisecond, an update that arrives
/// after the delete although it is older, and two reads without a position.
const Delivery& tenEvents();
/// The table that they must lead to, markers included, whatever the order.
const std::vector<CertifyRow>& expectedState();
/// The ten in order of the log.
Delivery inLogOrder();
/// Every event twice, in the order of md5("arrival:copy:seed").
Delivery shuffled(int seed);
/// The delete of key 2, and then the older update of it.
Delivery lateUpdateAfterDelete();
/// All 5,040 orders of the seven changes with positions of their own.
std::vector<Delivery> everyOrder();

/// A valid change log of up to twelve events on three keys, and a delivery of it: shuffled, some events twice.
struct RandomLog {
  std::uint32_t seed = 0;
  Delivery log;
  Delivery delivered;
};
RandomLog randomLog(std::uint32_t seed);  ///< The same for the same seed, on every machine.

/// What must be visible after a log: (id, value) of each key whose change with the highest position is no delete.
std::vector<std::pair<std::int64_t, std::string>> visibleAfter(const Delivery& log);

}  // namespace tidemark::certify_log
