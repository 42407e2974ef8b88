#pragma once
// Patience: how long a waiting thread polls before it sleeps.
//
// `spin`, unless the last sleep shows that to be a bad bargain. Where waking a thread takes longer
// than `spin`, a single sleep would teach both ends of an exchange to sleep: while one is being
// woken, the other's patience ends. So after a short sleep the next poll is to last as long as that
// sleep would have needed, up to `kMost` times `spin`; and if that too was in vain, as it is when
// the thread that is waited for needs this very processor, the attempt is made ever more rarely.
// Thread: one at a time.

#include <algorithm>

#include "base/clock.h"

namespace lintel::portals {

class Patience {
 public:
  static constexpr int kMost = 10;
  // So many short sleeps between two attempts, when all are in vain.
  static constexpr unsigned kMostLeftOut = 63;

  explicit Patience(Nanoseconds spin) : spin_(spin), length_(spin) {}

  // How long to poll now.
  Nanoseconds length() const { return length_; }

  // What was polled for came, after `polled`.
  void rewarded(Nanoseconds polled) {
    if (polled > spin_) between_attempts_ = 0;
  }

  // It did not come for length(), and then the thread slept for `slept`.
  void slept(Nanoseconds slept) {
    if (length_ > spin_) {
      between_attempts_ = std::min(2 * between_attempts_ + 1, kMostLeftOut);
      left_out_ = 0;
    }
    length_ = spin_;
    if (slept > kMost * spin_) return;
    if (left_out_ < between_attempts_) {
      ++left_out_;
      return;
    }
    length_ = std::min(spin_ + slept, kMost * spin_);
  }

 private:
  Nanoseconds spin_;
  Nanoseconds length_;
  unsigned between_attempts_ = 0;  // short sleeps that are left out
  unsigned left_out_ = 0;          // of them so far
};

}  // namespace lintel::portals
