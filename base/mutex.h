#pragma once
// Mutex and MutexLock: a mutex with annotations for clang's thread-safety analysis, which also
// tells its holder whether another thread waits for it.
//
// Not std::mutex: each message takes and releases a lock at least twice, and the two calls of
// std::mutex into the C library cost as much as a lookup in a match list. This is the second mutex
// of U. Drepper, "Futexes are tricky" (2011): lock() and unlock() are one atomic operation each if
// no thread waits. Not recursive, and not fair.
// Threads sleep in the futex itself. std::atomic's wait() keeps its sleepers in a table, and each
// shared library has its own table, so an unlock() in another library would not find them.

#include <atomic>
#include <cstdint>

#include "base/thread_annotations.h"

namespace lintel {

class LINTEL_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() LINTEL_ACQUIRE() {
    if (!try_lock()) wait_for_it();
  }
  bool try_lock() LINTEL_TRY_ACQUIRE(true) {
    std::uint32_t expected = kFree;
    return state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void unlock() LINTEL_RELEASE() {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) wake_one();
  }
  // Whether a thread waits in lock(). A hint for a holder that would unlock and lock again: it may
  // take the lock back before the thread that it woke gets it.
  bool wanted() const { return waiting_.load(std::memory_order_relaxed) != 0; }

 private:
  // kAwaited: held, and unlock() wakes one thread
  enum MutexState : std::uint32_t { kFree, kHeld, kAwaited };

  [[gnu::cold]] void wait_for_it() LINTEL_ACQUIRE();
  [[gnu::cold]] void wake_one();

  std::atomic<std::uint32_t> state_{kFree};
  std::atomic<unsigned> waiting_{0};
};

class LINTEL_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LINTEL_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() LINTEL_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace lintel
