#pragma once
// Mutex and MutexLock: std::mutex with names for clang's thread-safety analysis.

#include <mutex>

#include "base/thread_annotations.h"

namespace lintel {

class LINTEL_CAPABILITY("mutex") Mutex {
 public:
  void lock() LINTEL_ACQUIRE() { mutex_.lock(); }
  bool try_lock() LINTEL_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() LINTEL_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
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
