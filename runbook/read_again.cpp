#include "runbook/read_again.h"

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/codec.h"
#include "runbook/run_facts.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {
constexpr std::size_t kKeysAtOnce = 1000;
}

RereadResult readAgain(StepContext& context, int step, std::span<const Key> keys) {
  const RereadResult result = rereadKeys(context.source(), context.sink(), context.mapping(), keys,
                                         context.boundaryOptions(), context.stopToken(), context.boundaryObserver());
  const std::string before = context.state().step(step).fact("read_again");
  const std::int64_t settled = std::max(result.boundary.settled, result.boundary.low);
  context.record(step, "read_again",
                 canonicalDump({{"present", numberIn(before, "present") + result.present},
                                {"absent", numberIn(before, "absent") + result.absent},
                                {"settled", settled}}));
  return result;
}

std::uint64_t readNotedKeysAgain(StepContext& context, int step) {
  std::uint64_t count = 0;
  std::vector<Key> before;
  while (true) {
    if (context.stopToken().stop_requested()) throw Cancelled();
    const std::vector<Key> keys = context.sink().keysToRead(context.mapping(), kKeysAtOnce);
    if (keys.empty()) return count;
    if (keys == before) {
      throw Error("sink.keys_stay", text("The sink still lists the same keys after they were read again."),
                  {.hint = text("Look at the tables of the tidemark schema: its rows cannot be deleted.")});
    }
    readAgain(context, step, keys);
    count += keys.size();
    before = keys;
  }
}

}  // namespace tidemark::runbook
