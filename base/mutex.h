#pragma once
// Mutex and MutexLock: std::mutex with names for clang's thread-safety analysis, which also tells its holder whether others wait for it.

#include <atomic>
#include <mutex>

#include "base/thread_annotations.h"

namespace lintel {

class LINTEL_CAPABILITY("mutex") Mutex {
 public:
  void lock() LINTEL_ACQUIRE() {
    if (mutex_.try_lock()) return;
    waiting_.fetch_add(1, std::memory_order_relaxed);
    mutex_.lock();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  bool try_lock() LINTEL_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() LINTEL_RELEASE() { mutex_.unlock(); }
  // Some thread waits in lock(). A hint, for a holder that would unlock and lock again: an std::mutex does not wake whom it makes wait in time.
  bool wanted() const { return waiting_.load(std::memory_order_relaxed) != 0; }

 private:
  std::mutex mutex_;
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
