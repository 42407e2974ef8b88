#pragma once
// The processors that ranks are bound to.

#include <sched.h>

#include <cstddef>
#include <vector>

namespace lintel::run {

// Those that this process may run on, in ascending order.
class Cores {
 public:
  Cores();
  // The set of one processor for `rank`: the i-th for rank i, and from the first again after the
  // last.
  cpu_set_t of_rank(std::size_t rank) const;

 private:
  std::vector<std::size_t> allowed_;
};

}  // namespace lintel::run
