#pragma once
// SpinBudget: how long a waiting thread polls before it sleeps.
//
// Normally `spin`. After a short sleep it is longer: `spin` and the time of that sleep, at most
// `kMost` times `spin`. The reason: if waking a thread takes longer than `spin`, one sleep makes
// both ends of an exchange sleep from then on, because the poll of the other end is over while this
// one is being woken. If the longer poll also finds nothing, because the awaited thread needs this
// processor, longer polls are tried less and less often.
// Thread: one at a time.

#include <algorithm>

#include "base/clock.h"

namespace lintel::portals {

class SpinBudget {
 public:
  static constexpr int kMost = 10;
  // The largest number of short sleeps between two attempts, if no attempt succeeds.
  static constexpr unsigned kMostSkipped = 63;

  explicit SpinBudget(Nanoseconds spin) : spin_(spin), duration_(spin) {}

  // How long to poll now.
  Nanoseconds duration() const { return duration_; }

  // The poll has found what it waited for, after `polled`.
  void poll_succeeded(Nanoseconds polled) {
    if (polled > spin_) between_attempts_ = 0;
  }

  // The poll has found nothing for duration(), and then the thread has slept for `slept`.
  void slept(Nanoseconds slept) {
    if (duration_ > spin_) {
      between_attempts_ = std::min(2 * between_attempts_ + 1, kMostSkipped);
      skipped_ = 0;
    }
    duration_ = spin_;
    if (slept > kMost * spin_) return;
    if (skipped_ < between_attempts_) {
      ++skipped_;
      return;
    }
    duration_ = std::min(spin_ + slept, kMost * spin_);
  }

 private:
  Nanoseconds spin_;
  Nanoseconds duration_;
  unsigned between_attempts_ = 0;  // short sleeps after which no attempt is made
  unsigned skipped_ = 0;           // of them so far
};

}  // namespace lintel::portals
