#pragma once
// The processors that ranks are bound to.

#include <sched.h>

#include <cstddef>
#include <vector>

namespace lintel::run {

// The processors that this process may run on, in ascending order.
class Cores {
 public:
  Cores();
  // The set of one processor for `rank`: the i-th for rank i, starting again at the first after the
  // last.
  cpu_set_t of_rank(std::size_t rank) const;

 private:
  std::vector<std::size_t> allowed_;
};

}  // namespace lintel::run
