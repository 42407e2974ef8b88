#pragma once
// ReusableIds: which of the dense ids of a network's peers name nobody.
//
// The owner keeps a record for each id, by its number. An id that names nobody is given again
// before a further one is made, so there are as many records as there were peers at the same time.
//
// Thread: none of its own; the owner's lock guards it.
// Invariant: there is room for all ids, so that giving one back needs no memory.
// Does not: keep the records, or know whether an id is still in use.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "transport/transport.h"

namespace lintel::transport {

class ReusableIds {
 public:
  // The id that take() will take. If all name somebody, make_record() makes the record of the next
  // number first. Throws what that or the allocation throws; nothing has changed then.
  template <class MakeRecord>
  PeerId next(MakeRecord&& make_record) {
    if (unused_.empty()) {
      if (unused_.capacity() <= made_) unused_.reserve(2 * made_ + 1);
      make_record();
      unused_.push_back(PeerId(static_cast<std::uint32_t>(made_++)));
    }
    return unused_.back();
  }
  // The id of next() names somebody now. REQUIRES: next() was called after the last take().
  void take() {
    LINTEL_ASSERT(!unused_.empty());
    unused_.pop_back();
  }
  // The id names nobody any more.
  void give_back(PeerId id) {
    LINTEL_ASSERT(id.value < made_ && unused_.size() < made_);
    unused_.push_back(id);
  }

  std::size_t taken() const { return made_ - unused_.size(); }

 private:
  std::size_t made_ = 0;
  std::vector<PeerId> unused_;  // the latest last
};

}  // namespace lintel::transport
