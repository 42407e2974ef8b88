#pragma once
// Companion: work of a layer above that has a file descriptor of its own, and is driven along with
// the engine's: by whoever waits, else by the progress thread.
//
// Owned by whoever attaches it to the Process. Called with the Process' lock held.

#include <cstddef>
#include <string>

namespace lintel::portals {

class Companion {
 public:
  virtual ~Companion() = default;
  // Readable when poll() would find something; -1: there is none, what the engine takes in is all
  // that moves it.
  virtual int fd() const = 0;
  // After the engine's own turn. Does not block, nor drive the engine. Returns how much happened.
  virtual std::size_t poll() = 0;
  // Lines for the state of the process, for people.
  virtual void dump(std::string& out) const = 0;
};

}  // namespace lintel::portals
