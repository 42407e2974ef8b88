#include "cores.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "failure.h"

namespace lintel::run {

Cores::Cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    throw RunFailure(kExitFailed,
                     fmt::format("--bind: sched_getaffinity failed: {}", std::strerror(errno)));
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) allowed_.push_back(core);
  }
}

cpu_set_t Cores::of_rank(std::size_t rank) const {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(allowed_[rank % allowed_.size()], &one);
  return one;
}

}  // namespace lintel::run
