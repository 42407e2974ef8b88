#pragma once
// DeferredWork: whether some part of a messenger has work left for
// DrivenParts::run_deferred_work(). A part that puts work off calls add(). run_deferred_work() asks
// every part whether it is done, and calls set().
//
// Owned by the messenger, borrowed by its parts.

#include "base/process_lock.h"

namespace lintel::mpi {

class DeferredWork {
 public:
  bool any() const LINTEL_REQUIRES(kLock) { return any_; }
  void add() LINTEL_REQUIRES(kLock) { any_ = true; }
  void set(bool any) LINTEL_REQUIRES(kLock) { any_ = any; }

 private:
  bool any_ LINTEL_GUARDED_BY(kLock) = false;
};

}  // namespace lintel::mpi
