#pragma once
// kLock: the lock of the messenger's process, under one name for clang's thread-safety analysis.
//
// The lock is a member of the engine's Process, which the messenger's parts reach by references
// of their own. Clang cannot see that these are one lock. So every part says "REQUIRES kLock",
// and whoever takes the lock says that it has kLock from then on. kLock holds no state.

#include "base/mutex.h"

namespace lintel::mpi {

class LINTEL_CAPABILITY("mutex") ProcessLockName {
 public:
  // For functions that the engine calls with the lock held: the analysis takes it as held from
  // here on. Does nothing at run time.
  void assert_held() const LINTEL_ASSERT_CAPABILITY(this) {}
};

inline constexpr ProcessLockName kLock;

// Holds the lock of a process as long as it lives.
class LINTEL_SCOPED_CAPABILITY ProcessLock {
 public:
  explicit ProcessLock(Mutex& mutex) LINTEL_ACQUIRE(kLock) LINTEL_NO_THREAD_SAFETY_ANALYSIS
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~ProcessLock() LINTEL_RELEASE() LINTEL_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace lintel::mpi
