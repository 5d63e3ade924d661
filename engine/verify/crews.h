#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace tidemark {

/// One numbered piece of work. Owns what it works with (a clone of a connection); must end soon after a stop.
using CrewTask = std::function<void(std::size_t index, std::stop_token stop)>;

/// Threads that share the same pieces of work. `equip` is called once on each of them, never on two at a time, and
/// makes what that thread alone will use; it is destroyed there too.
struct Crew {
  int threads = 1;
  std::function<CrewTask()> equip;
};

/// Lets every crew do the pieces 0 … count-1 and waits for all. `onDone` is called on the calling thread with the
/// number of pieces finished since its last call. The first exception stops everybody and is thrown again; a stop ends
/// in Cancelled.
void runCrews(const std::vector<Crew>& crews, std::size_t count, std::stop_token stop,
              const std::function<void(std::size_t)>& onDone);

}  // namespace tidemark
