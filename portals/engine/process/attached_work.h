#pragma once
// AttachedWork: work of a layer above that has a file descriptor of its own. The thread that drives
// the engine drives it too: a call that waits, or the progress thread. It is owned by the layer
// that attaches it to the Process. It is called with the lock of the Process held.

#include <cstddef>
#include <string>

namespace lintel::portals {

class AttachedWork {
 public:
  virtual ~AttachedWork() = default;
  // Readable when poll() would find something. -1: there is no descriptor; only what the engine
  // receives gives it something to do.
  virtual int fd() const = 0;
  // Called after each turn of the engine. Does not block and does not drive the engine. Returns the
  // number of things that happened.
  virtual std::size_t poll() = 0;
  // Appends lines for the state of the process that people read.
  virtual void dump(std::string& out) const = 0;
};

}  // namespace lintel::portals
