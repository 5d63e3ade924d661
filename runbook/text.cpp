#include "runbook/text.h"

namespace tidemark::runbook {

std::string groupedNumber(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace tidemark::runbook
