#pragma once
// kLock: the lock of the messenger's process, under one name for clang's thread-safety analysis.
//
// The lock is a member of the engine's Process, which each part of the messenger reaches by a
// reference of its own. Clang cannot see that these references name one lock. Therefore every part
// says "REQUIRES kLock", and ProcessLock acquires kLock together with the lock. Functions that the
// engine calls with the lock held begin with kLock.is_held().

#include "base/mutex.h"
#include "base/owner_lock.h"

namespace lintel::mpi {

inline constexpr OwnerLock kLock;

// Holds the lock of a process during its lifetime.
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
