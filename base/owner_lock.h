#pragma once
// OwnerLock: the lock of the owner of a part, as the part sees it. The owner of a part without a
// lock holds its own lock whenever it calls the part. The part marks its state
// LINTEL_GUARDED_BY(lock_) and its inner functions LINTEL_REQUIRES(lock_). Each function that the
// owner calls begins with lock_.is_held(). So clang's analysis follows through the part which
// functions need the lock, and finds a function that may be called without it and touches the
// state.
//
// Has no state and does nothing at run time: it is not checked that the owner holds its lock.

#include "base/thread_annotations.h"

namespace lintel {

class LINTEL_CAPABILITY("lock of the owner") OwnerLock {
 public:
  constexpr OwnerLock() = default;
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

  // The analysis takes the lock as held from here to the end of the calling function.
  void is_held() const LINTEL_ASSERT_CAPABILITY(this) {}
};

}  // namespace lintel
