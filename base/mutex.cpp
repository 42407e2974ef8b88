#include "base/mutex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace lintel {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
              std::atomic<std::uint32_t>::is_always_lock_free);

// Takes the lock as kAwaited, because other threads may sleep too.
void Mutex::wait_for_it() {
  waiting_.fetch_add(1, std::memory_order_relaxed);
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
    // Returns at once if the state is no longer kAwaited.
    ::syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, std::uint32_t{kAwaited}, nullptr, nullptr, 0);
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void Mutex::wake_one() {
  ::syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace lintel
