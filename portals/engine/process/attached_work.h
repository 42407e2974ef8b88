#pragma once
// AttachedWork: work of a layer above that has a file descriptor of its own. The thread that drives
// the engine drives it too: a call that waits, or the progress thread. It is owned by the layer
// that attaches it to the Process.

#include <cstddef>
#include <string>

#include "base/process_lock.h"

namespace lintel::portals {

class AttachedWork {
 public:
  virtual ~AttachedWork() = default;
  // Readable when poll() would find something. -1: there is no descriptor; only what the engine
  // receives gives it something to do.
  virtual int fd() const LINTEL_REQUIRES(kLock) = 0;
  // Called after each turn of the engine. Does not block and does not drive the engine. Returns the
  // number of things that happened.
  virtual std::size_t poll() LINTEL_REQUIRES(kLock) = 0;
  // Appends lines for the state of the process that people read.
  virtual void dump(std::string& out) const LINTEL_REQUIRES(kLock) = 0;
};

}  // namespace lintel::portals
