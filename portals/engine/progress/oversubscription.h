#pragma once
// Oversubscription: whether other threads that poll need the processor of a thread that polls,
// because the machine runs more processes than it has processors. Decides when a poller yields.
//
// A layer above states it (set_processes_per_processor), or yields show it: a yield that returns
// late has let another thread run. With oversubscription a poller yields after every turn that
// found nothing. Without it, a poller yields once in `kTurnsBetweenYields` such turns, to find out,
// because a yield is a system call. A yield that returns very late has let a thread run that
// computes and keeps the processor as long as the system allows. That helps no poller. Unless
// oversubscription was stated, yields are then made less and less often. Thread: one at a time.

#include <algorithm>

#include "base/clock.h"

namespace lintel::portals {

class Oversubscription {
 public:
  static constexpr unsigned kTurnsBetweenYields = 64;
  // yields that are left out between two, while others compute
  static constexpr unsigned kMostSkipped = 63;
  // A yield takes less time if nobody else needs the processor.
  static constexpr Nanoseconds kLate = std::chrono::nanoseconds(2500);
  // Other pollers give the processor back sooner. A thread that computes keeps it for 0.4 to 8 ms
  // (10th to 90th percentile, Linux 6.18, HZ=250), which is many times the latency of a message.
  // Measure: bench/compare/builds --only mpi-latency --computing
  static constexpr Nanoseconds kMuchTooLate = std::chrono::microseconds(300);
  // After this many yields in a row that return at once, there is no oversubscription any more.
  static constexpr unsigned kPromptYieldsToEnd = 256;

  // From now on this many processes share each processor; 1: no oversubscription is stated.
  void set_processes_per_processor(unsigned processes_per_processor) {
    processes_per_processor_ = processes_per_processor;
  }
  // 1 if no oversubscription was stated.
  unsigned processes_per_processor() const { return processes_per_processor_; }

  // A turn has found nothing. True: yield now, then call yielded().
  bool should_yield() {
    if (present()) return true;
    if (++turns_ < kTurnsBetweenYields * (1 + skipped_)) return false;
    turns_ = 0;
    return true;
  }
  void yielded(Nanoseconds took) {
    if (took > kMuchTooLate) {
      left_ = 0;
      skipped_ = std::min(2 * skipped_ + 1, kMostSkipped);
    } else if (took > kLate) {
      left_ = kPromptYieldsToEnd;
      skipped_ = 0;
    } else if (left_ > 0) {
      --left_;
    }
  }

 private:
  bool present() const { return processes_per_processor_ > 1 || left_ > 0; }

  unsigned processes_per_processor_ = 1;
  unsigned turns_ = 0;    // since the last yield
  unsigned left_ = 0;     // yields until oversubscription ends; 0: there is none, unless stated
  unsigned skipped_ = 0;  // yields that are left out
};

}  // namespace lintel::portals
