#pragma once
// kLock: the lock of the messenger's process, under one name for clang's thread-safety analysis.
//
// The lock is a member of the engine's Process, which the messenger's parts reach by references
// of their own. Clang cannot see that these are one lock. So every part says "REQUIRES kLock",
// and whoever takes the lock says that it has kLock from then on. Functions that the engine calls
// with the lock held begin with kLock.is_held().

#include "base/mutex.h"
#include "base/owner_lock.h"

namespace lintel::mpi {

inline constexpr OwnerLock kLock;

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
