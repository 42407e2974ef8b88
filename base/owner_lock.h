#pragma once
// OwnerLock: the lock of whoever owns a part, as the part sees it. A part that has no lock of its
// own, because its owner holds
// one whenever it calls, marks its state LINTEL_GUARDED_BY(lock_) and its inner functions
// LINTEL_REQUIRES(lock_). Each function
// that the owner calls begins with lock_.is_held(). So clang's analysis follows through the part
// which functions need the lock,
// and finds the one that may be called without it and touches the state all the same.
//
// Holds nothing and does nothing at run time: that the owner keeps its word is not checked here.

#include "base/thread_annotations.h"

namespace lintel {

class LINTEL_CAPABILITY("lock of the owner") OwnerLock {
 public:
  constexpr OwnerLock() = default;
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

  // From here to the end of the calling function the lock counts as held.
  void is_held() const LINTEL_ASSERT_CAPABILITY(this) {}
};

}  // namespace lintel
