#pragma once
// Crowd: whether a thread that polls keeps a processor from others that poll too, as where a
// machine runs more processes than it has processors.
//
// Told by who knows of it, or seen: a yield that comes back late has let others run. Whoever polls
// in a crowd yields after every turn in vain; else only after every `kBetweenLooks`, to see: a
// yield is a system call. Where none is told of and it comes back very late, somebody computes
// instead, who keeps the processor as long as the system lets him: to yield to him is a bad
// bargain, and is tried the more rarely the more often it was in vain. Thread: one at a time.

#include <algorithm>

#include "base/clock.h"

namespace lintel::portals {

class Crowd {
 public:
  static constexpr unsigned kBetweenLooks = 64;
  static constexpr unsigned kMostLeftOut = 63;  // looks between two, where somebody computes
  // Where nobody else wants the processor a yield takes less.
  static constexpr Nanoseconds kLate = std::chrono::nanoseconds(2500);
  // Others that poll give it back before.
  static constexpr Nanoseconds kTooLate = std::chrono::milliseconds(3);
  // After so many yields in a row that come back at once the crowd is gone.
  static constexpr unsigned kForgotten = 256;

  // There is one from now on, of so many processes for each processor: 2 at least.
  void tell(unsigned processes_per_processor) { told_ = processes_per_processor; }
  // 1 if none was told of.
  unsigned processes_per_processor() const { return told_; }

  // A turn was in vain. Whether to yield now, and to tell yielded().
  bool yields() {
    if (present()) return true;
    if (++turns_ < kBetweenLooks * (1 + left_out_)) return false;
    turns_ = 0;
    return true;
  }
  void yielded(Nanoseconds took) {
    if (took > kTooLate) {
      left_ = 0;
      left_out_ = std::min(2 * left_out_ + 1, kMostLeftOut);
    } else if (took > kLate) {
      left_ = kForgotten;
      left_out_ = 0;
    } else if (left_ > 0) {
      --left_;
    }
  }

 private:
  bool present() const { return told_ > 1 || left_ > 0; }

  unsigned told_ = 1;
  unsigned turns_ = 0;     // since the last look
  unsigned left_ = 0;      // yields before it is forgotten
  unsigned left_out_ = 0;  // looks
};

}  // namespace lintel::portals
