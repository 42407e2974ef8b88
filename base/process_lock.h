#pragma once
// kLock: the lock of the process, under one name for clang's thread-safety analysis.
//
// The lock is a member of the engine's Process, and guards the parts of the engine and of the
// messenger, each of which has a reference of its own to what it borrows. Clang cannot see that
// these references lead to one lock. Therefore every part says "GUARDED_BY kLock" and "REQUIRES
// kLock", and a function that returns the lock says "RETURN_CAPABILITY kLock", so that MutexLock
// acquires kLock together with the lock. Functions that are called with the lock held in a way that
// clang does not follow (from a lambda, or by a layer below) begin with kLock.is_held().
//
// The name stands for the lock of any process: that a thread holds the lock of the right one is not
// checked. Only tests have several processes in one.

#include "base/owner_lock.h"

namespace lintel {

inline constexpr OwnerLock kLock;

}  // namespace lintel
