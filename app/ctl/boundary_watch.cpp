#include "app/ctl/boundary_watch.h"

#include <memory>

namespace tidemark::ctl {

std::string blockerText(const Blocker& blocker) {
  std::string text = blocker.preparedName.empty() ? "pid " + std::to_string(blocker.pid)
                                                  : "prepared transaction '" + blocker.preparedName + "'";
  if (!blocker.application.empty()) text += ", " + blocker.application;
  if (!blocker.user.empty()) text += " as " + blocker.user;
  text += ", open for " + std::to_string(blocker.age.count()) + " s";
  if (!blocker.waitEvent.empty()) text += ", waits on " + blocker.waitEvent;
  return text;
}

BoundaryObserver boundaryWatch(Terminal& terminal) {
  auto last = std::make_shared<std::pair<std::string, std::chrono::milliseconds>>();
  return [&terminal, last](const std::vector<Blocker>& blockers, std::chrono::milliseconds waited) {
    std::string who;
    for (const auto& blocker : blockers) {
      const auto& name = blocker.preparedName.empty() ? std::to_string(blocker.pid) : blocker.preparedName;
      who += name + " ";
    }
    if (who != last->first || waited - last->second >= std::chrono::seconds(10)) {
      *last = {who, waited};
      for (const auto& blocker : blockers) terminal.note("boundary held back by " + blockerText(blocker));
    }
    return true;
  };
}

}  // namespace tidemark::ctl
