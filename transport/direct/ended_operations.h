#pragma once
// EndedOperations: the writes and placed messages that have ended and that the sink is to be told
// of. Each is told once, also if the sink finds no memory for one: the next report() goes on behind
// it.
//
// A member of DirectTables; guarded by its owner's lock.
// Invariant: operations under way, and those of which the sink has not been told, are together at
// most as many as there is room for. So a peer that acknowledges writes while further ones begin in
// the same poll does not make the list grow.
// Does not: allocate, except in reserve().

#include <cstddef>

#include "base/assert.h"
#include "transport/direct/reserved_list.h"
#include "transport/transport.h"

namespace lintel::transport {

class EndedOperations {
 public:
  // Room for so many that are under way or have not been reported. Throws std::bad_alloc.
  void reserve(std::size_t operations);
  // Whether one more may begin.
  bool has_room() const { return under_way_ + ended_.size() + unreported_ < room_; }
  // One begins. REQUIRES: has_room().
  void begin() {
    LINTEL_ASSERT(has_room());
    ++under_way_;
  }
  // One has ended. REQUIRES: it has begun.
  void add(Context context, Error error) {
    LINTEL_ASSERT(under_way_ > 0);
    --under_way_;
    ended_.add({context, error});
  }
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
  std::size_t room_ = 0;
  std::size_t under_way_ = 0;
  ReservedList<EndedOperation> ended_;
  ReservedList<EndedOperation> reporting_;
  std::size_t unreported_ = 0;  // of reporting_
};

}  // namespace lintel::transport
