#include "transport/direct/ended_operations.h"

#include <algorithm>
#include <new>

#include "transport/direct/room.h"

namespace lintel::transport {

void EndedOperations::reserve(std::size_t operations) {
  make_room(ended_, operations);
  make_room(reporting_, operations);
  room_ = std::max(room_, operations);
}

std::size_t EndedOperations::report(Sink& sink) {
  reporting_.swap(ended_);
  const std::size_t count = reporting_.size();
  unreported_ = count;
  while (unreported_ > 0) {
    const EndedOperation operation = reporting_[count - unreported_--];
    try {
      sink.on_write_done(operation.context, operation.error);
    } catch (const std::bad_alloc&) {
      ended_.insert(ended_.begin(), reporting_.end() - static_cast<std::ptrdiff_t>(unreported_),
                    reporting_.end());
      reporting_.clear();
      unreported_ = 0;
      throw;
    }
  }
  reporting_.clear();
  return count;
}

}  // namespace lintel::transport
