#pragma once
// EndedOperations: the writes and placed messages that have ended and that the sink is to be told
// of. Each is told once, also if the sink finds no memory for one: the next report() goes on behind
// it.
//
// A member of DirectTransport; guarded by its owner's lock.
// Does not: allocate, except in reserve().

#include <cstddef>
#include <vector>

#include "transport/transport.h"

namespace lintel::transport {

class EndedOperations {
 public:
  // Room for so many that have not been reported. Throws std::bad_alloc.
  void reserve(std::size_t operations);
  // REQUIRES: reserve() has made room.
  void add(Context context, Error error) { ended_.push_back({context, error}); }
  bool empty() const { return ended_.empty(); }
  std::size_t size() const { return ended_.size(); }
  // Calls on_write_done() for each. What ends meanwhile is reported the next time. Throws what the
  // sink throws. Returns how many there were.
  std::size_t report(Sink& sink);

 private:
  struct EndedOperation {
    Context context;
    Error error;
  };
  std::vector<EndedOperation> ended_;
  std::vector<EndedOperation> reporting_;
};

}  // namespace lintel::transport
